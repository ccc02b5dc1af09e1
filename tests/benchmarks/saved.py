"""The ratios of an earlier run; `python -m tests.benchmarks.saved` measures and saves them anew."""

import json
from pathlib import Path

import torch

from benchmarks.cases import CASES, ratio

BASELINE = Path(__file__).with_name("baseline.json")


def saved():
    return json.loads(BASELINE.read_text(encoding="utf-8"))


def main():
    torch.set_num_threads(1)
    found = {name: round(ratio(*make()), 2) for name, make in CASES.items()}
    BASELINE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(BASELINE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
