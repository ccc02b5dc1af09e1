"""The ratio tests over the history: how many times slower than ours a plain way to the same answer is."""

from benchmarks.cases import CASES, ratio


class Ratios:
    params = list(CASES)
    param_names = ["case"]
    timeout = 300
    unit = "times"

    def track_ratio(self, case):
        return ratio(*CASES[case]())
