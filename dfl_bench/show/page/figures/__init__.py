"""The figures of the page, one module for each kind.

A module is a kind of figure if it has these four names:

- ``KIND``: one word, the begin of its file names. The gallery shows kinds in the order of their ``ORDER``.
- ``TITLE``: the heading above its figures.
- ``CAPTION``: what a reader has to know, below the heading.
- ``draw(boards, style)``: yields the figures that the boards have data for.
"""
