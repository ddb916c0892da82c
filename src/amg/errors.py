"""Mistakes of the user's: each is one line that says what, where, which value, and the remedy."""

from __future__ import annotations


class AmgError(Exception):
    """Base of every error a person can mend; the command line prints it as one line and exits 2."""

    def __str__(self) -> str:
        """One line, whatever a file or a name puts into it: no line ends, no terminal's codes."""
        text = super().__str__()
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class GameError(AmgError):
    """A game that is not an aggregative Markov game."""


class ParameterError(AmgError):
    """A parameter that is unknown, of the wrong type, or out of its range."""


class FileError(AmgError):
    """A file that is missing, damaged, of another kind, or from a newer version."""
