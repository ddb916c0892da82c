"""The games that come with the package: one module each, one registry.

A new game is a module with a builder (typed keyword parameters, checked with the helpers of
`parameters.py`; returns a `Game`) and its name in the tuple below.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from amg.errors import ParameterError
from amg.game import Game
from amg.games.congestion import congestion
from amg.games.demand_response import demand_response
from amg.games.fishermen import fishermen
from amg.games.inspection import inspection

BUILDERS: dict[str, Callable[..., Game]] = {
    builder.__name__: builder for builder in (fishermen, inspection, congestion, demand_response)
}


def build(name: str, parameters: Mapping[str, object] | None = None) -> Game:
    """The game `name` with `parameters` in place of the builder's defaults."""
    if name not in tuple(BUILDERS):  # a tuple, for names that cannot be hashed
        raise ParameterError(f"unknown game {name!r}; there are {', '.join(BUILDERS)}")
    known = inspect.signature(BUILDERS[name]).parameters
    given = {} if parameters is None else parameters
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"{name}: parameters must be a mapping of {', '.join(known)}, not {given!r}"
        )
    for parameter in given:
        if parameter not in tuple(known):
            raise ParameterError(
                f"{name}: unknown parameter {parameter!r}; there are {', '.join(known)}"
            )
    return BUILDERS[name](**given)
