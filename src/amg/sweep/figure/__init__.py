"""The figure of a sweep, chosen by its shape, and the caption that goes with it."""

from amg.sweep.figure.caption import caption
from amg.sweep.figure.page import draw

__all__ = ["caption", "draw"]
