"""PLACEHOLDER"""

from amg.figures.style import new_figure


def draw(sweep, table):
    return new_figure(3, 2)


def caption(sweep):
    return ""
