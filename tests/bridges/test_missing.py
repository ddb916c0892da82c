"""A bridge whose library is not installed says in one line how to install it."""

from __future__ import annotations

import importlib
import sys

import pytest

from amg.base.errors import AmgError


@pytest.mark.parametrize(
    ("bridge", "library"), [("pettingzoo", "pettingzoo"), ("openspiel", "pyspiel")]
)
def test_a_missing_library(bridge: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"amg.bridges.{bridge}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, None)  # so that it cannot be imported
    with pytest.raises(ImportError, match=r"^amg\.bridges\..*pip install '\.\[bridges\]'$") as told:
        importlib.import_module(name)
    assert isinstance(told.value, AmgError)
    assert "\n" not in str(told.value)
