"""The problems of the suite: one file each."""
