"""The games that come with the package: one module each, one registry.

A new game is a module with a builder and its name in the tuple below. A builder has keyword
parameters, checks them with `whole` and `between`, and returns a `Game` made by `tabulate`.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from amg.base.errors import ParameterError
from amg.game.library.congestion import congestion
from amg.game.library.demand_response import demand_response
from amg.game.library.fishermen import fishermen
from amg.game.library.inspection import inspection
from amg.game.library.market import market
from amg.game.library.reservoir import reservoir
from amg.game.model import Game

BUILDERS: dict[str, Callable[..., Game]] = {
    builder.__name__: builder
    for builder in (fishermen, inspection, congestion, demand_response, market, reservoir)
}


def build(name: str, parameters: Mapping[str, Any] | None = None) -> Game:
    """Return the game `name` with `parameters` in place of the builder's defaults."""
    if name not in list(BUILDERS):  # a list, because a name may not be hashable
        raise ParameterError(f"unknown game {name!r}; there are {', '.join(BUILDERS)}")
    known = inspect.signature(BUILDERS[name]).parameters
    for parameter in parameters or {}:
        if parameter not in known:
            raise ParameterError(
                f"{name}: unknown parameter {parameter!r}; there are {', '.join(known)}"
            )
    return BUILDERS[name](**(parameters or {}))


def build_game(name: str, /, **parameters: object) -> Game:
    """Build one of the games that come with the package.

    Parameters
    ----------
    name : str
        A name that ``amg games`` lists, such as ``"fishermen"``.
    **parameters
        Parameters of the game in place of its defaults, such as ``agents=3``.

    Returns
    -------
    Game

    Raises
    ------
    ParameterError
        If the name or a parameter is unknown, or a value out of range.

    Examples
    --------
    >>> import amg
    >>> amg.build_game("fishermen", agents=3).N
    3
    """
    return build(name, parameters)
