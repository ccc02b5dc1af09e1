"""Numbers and facts as text: the same wherever they are shown."""


def duration(seconds: float) -> str:
    """Write seconds as a person would: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
