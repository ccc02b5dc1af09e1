"""The methods of the suite: one file each."""
