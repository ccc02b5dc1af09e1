"""Writes docs/architecture.svg again."""

from pathlib import Path

from .draw import draw
from .imports import count

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "architecture.svg"

if __name__ == "__main__":
    PICTURE.write_text(draw(count()), encoding="utf-8")
