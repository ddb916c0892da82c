"""The rules by name: every public function of these modules that takes tables first.

A rule is a pure function of tables and of the thresholds in its keyword arguments, which are the
entry's `with`; its annotations say what they must be.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from amg.claims.rules import equilibrium, model, rewards, stages
from amg.claims.verdict import Verdict

Rule = Callable[..., Verdict]

RULES: dict[str, Rule] = {
    name: function
    for module in (rewards, equilibrium, stages, model)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}
