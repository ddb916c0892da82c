"""Errors that a user can correct. A message is one line: what, where, which value, the remedy."""


class AmgError(ValueError):
    """Base class of user errors; the command line prints the message and exits with code 2."""

    def __str__(self) -> str:
        """Return the message on one line, with control characters shown as escapes."""
        text = super().__str__()
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class GameError(AmgError):
    """The tables or the file do not describe an aggregative Markov game."""


class PolicyError(AmgError):
    """An array is not a policy of the game it is evaluated on."""


class ParameterError(AmgError):
    """A parameter is unknown, of the wrong type, or out of range."""


class FileError(AmgError):
    """A file is missing, damaged, of another kind, or of a newer version."""


class MissingError(AmgError, ImportError):
    """A library of an optional extra is not installed."""
