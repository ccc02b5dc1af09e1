"""Files like semo_electricity.csv, made by hand."""

from dfl_bench.data import cache, semo_file

HEADER = (
    "DateTime,Holiday,HolidayFlag,DayOfWeek,WeekOfYear,Day,Month,Year,PeriodOfDay,ForecastWindProduction,"
    "SystemLoadEA,SMPEA,ORKTemperature,ORKWindspeed,CO2Intensity,ActualWindProduction,SystemLoadEP2,SMPEP2"
)
COLUMNS = HEADER.split(",")


def made_rows(days=3):
    """Rows of the file as lists of text; every number of every row is another one."""
    rows = []
    for i in range(48 * days):
        day, slot = divmod(i, 48)
        time = f"{day + 1:02}/11/2011 {slot // 2:02}:{30 * (slot % 2):02}"
        numbers = [f"{1000 * k + i}.25" for k in range(9)]
        rows.append([time, "None", "0", f"{day}", "44", f"{day + 1}", "11", "2011", f"{slot}", *numbers])
    return rows


def write(path, rows, header=HEADER):
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]))
    return path


def recognised(monkeypatch, path):
    """Take a file made by hand for the known one."""
    monkeypatch.setattr(semo_file, "PRICES_SHA256", cache.sha256(path))
    return path
