"""Exact batched solvers and regrets: arrays in, arrays out."""
