"""Bridges to other libraries: PettingZoo, OpenSpiel and Gambit (docs/bridges.md).

Import the module that you need, such as ``amg.bridges.pettingzoo``. Its library must be installed;
nothing else of the package needs it.
"""

from amg.base.errors import MissingError


def missing(bridge: str, library: str) -> MissingError:
    """Return the error of a bridge whose library is not installed."""
    return MissingError(
        f"{bridge} needs {library}, which is not installed; run `make env`, or in the project's "
        f"directory: pip install '.[bridges]'"
    )
