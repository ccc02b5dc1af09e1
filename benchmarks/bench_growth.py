"""The series of `benchmarks.series` over the history: three sizes each."""

from benchmarks.series import SERIES


class Growth:
    params = (list(SERIES), [0, 1, 2])
    param_names = ["series", "size"]
    timeout = 300

    def setup(self, series, size):
        make, sizes = SERIES[series]
        make(sizes[0])()
        self.run = make(sizes[size])

    def time_run(self, series, size):
        self.run()

    def peakmem_run(self, series, size):
        self.run()
