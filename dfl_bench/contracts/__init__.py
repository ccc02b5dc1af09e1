"""What a problem and a method promise, and what they are given. Needs NumPy alone."""
