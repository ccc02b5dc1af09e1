"""``python -m dfl_bench`` is `dfl-bench`."""

from .cli import main

main()
