"""Measurements that the documents quote, run as ``python -m dfl_bench.studies.NAME``."""
