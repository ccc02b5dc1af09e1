"""Exact solvers and regrets for batches of small decision problems: arrays in, arrays out.

`inventory`, `budget` and `portfolio` are one folder each. `dfl_bench.kernels` gives the same three.
"""
