"""Files and generators of data. They give arrays, and know nothing of the problems that use them."""
