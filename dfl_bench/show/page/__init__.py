"""The page: tables and figures of a store in one HTML file that opens offline; and the same as Markdown."""

from .report import write_report
from .write import draw_ladders, write_figures, write_page

__all__ = ["draw_ladders", "write_figures", "write_page", "write_report"]
