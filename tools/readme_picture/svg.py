"""From a chart to SVG: white background, one font."""

from typing import Any

import altair as alt
import vl_convert

FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"


def as_svg(chart: Any) -> str:
    """Return a chart as SVG with a white background."""
    styled = (
        chart.configure(background="white", font=FONT, padding=10)
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal")
    )
    return str(vl_convert.vegalite_to_svg(styled.to_dict(), vl_version=_version()))


def _version() -> str:
    """The version of Vega-Lite that the installed Altair writes, as the converter names it."""
    return alt.SCHEMA_VERSION.removeprefix("v").rpartition(".")[0]
