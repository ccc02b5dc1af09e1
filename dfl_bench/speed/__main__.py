"""One contest, in the process that `dfl_bench.speed.process.measure` starts: NAME EFFORT FILE."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import torch

from .contests import lines
from .race import Effort

if __name__ == "__main__":
    name, effort, answer = sys.argv[1:]
    torch.set_num_threads(1)
    found = [asdict(line) for line in lines(name, Effort(**json.loads(effort)))]
    Path(answer).write_text(json.dumps(found), encoding="utf-8")
