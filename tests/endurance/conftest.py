"""What is made in a place where nobody disturbs a command."""

from __future__ import annotations

import pytest
from places import small_sweep, tiny_study


@pytest.fixture(scope="session")
def undisturbed_sweep(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the small sweep makes, on one core."""
    place = small_sweep(tmp_path_factory.mktemp("undisturbed") / "sweep")
    place.arguments[0] = "-c1"
    place.run()
    return place.made()


@pytest.fixture(scope="session")
def undisturbed_study(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the tiny study makes."""
    place = tiny_study(tmp_path_factory.mktemp("undisturbed") / "study")
    place.run()
    return place.made()
