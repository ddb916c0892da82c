"""Game files: the same tables as builders, exact round trips, and one line for each mistake."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from amg.base.errors import AmgError, FileError, ParameterError
from amg.game import file
from amg.game.file import dump_game, load_game, to_text
from amg.game.library import BUILDERS, build
from amg.game.model import Game
from amg.game.tabulation import tabulate

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "config" / "games").glob("*.yaml"))


def assert_same(a: Game, b: Game) -> None:
    """All that makes up the two games is equal, tables to the bit."""
    for table in ("effort", "reward", "transition", "initial"):
        assert getattr(a, table).tobytes() == getattr(b, table).tobytes()
        assert getattr(a, table).shape == getattr(b, table).shape
    for part in ("name", "agents", "states", "actions", "reward_range"):
        assert getattr(a, part) == getattr(b, part)
    for part in ("origin", "unit", "aggregator", "aggregate_scale", "digest"):
        assert getattr(a, part) == getattr(b, part)


# --- the same game, whichever way it is said -----------------------------------------------------


def test_the_fishermen_file_is_the_fishermen_builder() -> None:
    assert_same(load_game(ROOT / "config/games/fishermen.yaml"), build("fishermen"))


@pytest.mark.parametrize("name", BUILDERS)
def test_builders_come_back_from_files(name: str, tmp_path: Path) -> None:
    game = build(name)
    dump_game(game, tmp_path / "game.yaml")
    assert_same(load_game(tmp_path / "game.yaml"), game)
    assert [path.name for path in tmp_path.iterdir()] == ["game.yaml"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files_come_back(path: Path, tmp_path: Path) -> None:
    game = load_game(path)
    dump_game(game, str(tmp_path / "game.yaml"))
    assert_same(load_game(str(tmp_path / "game.yaml")), game)


def test_many_alike_agents_and_steps_are_said_once() -> None:
    few = to_text(build("fishermen", {"agents": 2, "horizon": 2}))
    assert "repeat: 2" in few
    assert "repeat: 50" in to_text(build("fishermen", {"agents": 2, "horizon": 50}))
    assert few.count("actions:") == 2
    assert to_text(build("congestion", {"agents": 60})).count("\n") < 500


@pytest.mark.parametrize(("effort", "worth"), [(0, 1), (1, 0), (1, 1)])
def test_agents_that_differ_only_in_efforts_or_pay_are_told_apart(
    tmp_path: Path, effort: int, worth: int
) -> None:
    game = tabulate(
        name="nearly alike",
        agents=["one", "two"],
        states=[("s",)],
        efforts=lambda t, state, i: {"lo": 0, "hi": 1 + effort * i},
        reward=lambda t, state, i, action, others: worth * i,
        transition=lambda t, state, total: {},
        initial={"s": 1},
        reward_range=(0, 1),
    )
    dump_game(game, tmp_path / "game.yaml")
    assert_same(load_game(tmp_path / "game.yaml"), game)


def test_steps_that_lead_to_states_of_other_names_do_not_repeat(tmp_path: Path) -> None:
    game = tabulate(
        name="renamed",
        agents=["one"],
        states=[("a",), ("a",), ("b",)],
        efforts=lambda t, state, i: {"only": 0},
        reward=lambda t, state, i, action, others: 0,
        transition=lambda t, state, total: {"ab"[t]: 1},
        initial={"a": 1},
        reward_range=(0, 1),
    )
    dump_game(game, tmp_path / "game.yaml")
    assert_same(load_game(tmp_path / "game.yaml"), game)


def test_the_documented_example_is_the_shipped_one() -> None:
    page = (ROOT / "docs/game-files.md").read_text(encoding="utf-8")
    example = (ROOT / "config/games/example.yaml").read_text(encoding="utf-8")
    assert f"```yaml\n{example}```" in page


def test_the_example_shows_what_a_file_can_say() -> None:
    game = load_game(ROOT / "config/games/example.yaml")
    assert game.agents == ("upstream", "downstream", "orchard")
    assert game.states == (("wet", "dry"), ("full", "low"))
    assert game.actions[0][0] == (("wait", "pump", "flood"), ("wait", "pump"), ("wait", "pump"))
    assert game.actions[1][1][2] == ("wait", "drip")
    assert game.initial.tolist() == [2 / 3, 1 / 3]
    assert game.aggregate_value(8) == Fraction(4, 3)
    # upstream floods while the others' efforts sum to 1, index 2 of a grid of halves
    assert game.reward[0, 1, 0, 2, 2] == 0
    assert game.reward[0, 0, 0, 2, 2] == 2
    assert game.transition[0, 0, 2].tolist() == [5 / 6, 1 / 6]


names = st.text(
    st.characters(exclude_categories=("Cs",)).filter(str.isprintable), min_size=1, max_size=12
)
surprising = st.sampled_from(
    [
        *("no", "on", "null", "~", "1", "1e3", "1:30", "0o17", "2024-01-01", "<<", "=", "é", "?"),
        *("a: b", "- a", " a ", "a  b", "x " * 60, "#x", "'", '"', "{a}", "[a]", "&a", "*a", "!a"),
        "all",
    ]
)
pay = st.floats(-1e200, 1e200, allow_subnormal=True)


def distinct(most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(names | surprising, min_size=1, max_size=most, unique=True)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Any game: odd names, menus by agent and state, gaps in the sums, awkward doubles."""
    agents = draw(distinct(3))
    states = [draw(distinct(2)) for _ in range(draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        states = states[:1] * len(states)
    origin = draw(st.fractions(-2, 2, max_denominator=3))
    unit = draw(st.fractions("1/3", 2, max_denominator=4))
    menus: dict[Any, Any] = {}
    steady = draw(st.booleans())  # steps that repeat, agents that are alike
    value = draw(pay)

    def efforts(t: int, state: str, i: int) -> dict[str, Fraction]:
        key = (0 if steady else t, state, 0 if steady else i)
        if key not in menus:
            actions = draw(distinct(3))
            menus[key] = {a: origin + unit * draw(st.integers(0, 4)) for a in actions}
        return menus[key]

    def law(states: list[str]) -> dict[str, float]:
        if len(states) == 1:
            return {states[0]: 1.0}
        p = 0.25 if steady else draw(st.floats(0, 1))
        return {states[0]: p, states[1]: 1 - p}

    return tabulate(
        name=draw(names | surprising),
        agents=agents,
        states=states,
        efforts=efforts,
        reward=lambda t, state, i, action, others: value if steady else draw(pay),
        transition=lambda t, state, total: law(states[t + 1]),
        initial=law(states[0]),
        reward_range=(-1e200, 1e200),
        origin=origin,
        unit=unit,
        aggregator=draw(st.sampled_from(["sum", "mean", "half"])),
        aggregate_scale=draw(st.sampled_from([None, "1/2", 3])),
    )


@settings(max_examples=80, deadline=None)
@given(games())
def test_any_game_comes_back(tmp_path_factory: pytest.TempPathFactory, game: Game) -> None:
    path = tmp_path_factory.mktemp("any") / "game.yaml"
    dump_game(game, path)
    assert_same(load_game(path), game)


def test_other_readers_of_yaml_see_names_as_text() -> None:
    def said(value: Any) -> Any:
        return value if isinstance(value, int) else 0

    game = tabulate(
        name="no",
        agents=["on", "1"],
        states=[("~",)],
        efforts=lambda t, state, i: {"yes": 0, "1:30": 1},
        reward=lambda t, state, i, action, others: said(0),
        transition=lambda t, state, total: {},
        initial={"~": 1},
        reward_range=(0, 1),
    )
    document = yaml.safe_load(to_text(game))
    assert document["name"] == "no"
    assert document["agents"] == ["on", "1"]
    assert document["steps"][0]["states"]["~"]["actions"]["all"] == {"yes": 0, "1:30": 1}


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match=r"file/game\.yaml: cannot be written"):
        dump_game(build("fishermen"), tmp_path / "file" / "game.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# --- what a file may leave out or say in another way ---------------------------------------------

SMALL = """\
format: amg-game/1
name: small
agents: [ann, bob]
aggregator: mean
effort_grid: {origin: 1, unit: 1/2}
reward_range: [-1, 3]
initial: {up: 1/4, down: 3/4}
steps:
  - states:
      up:
        actions: {all: {lo: 1, hi: 2}}
        rewards:
          ann: {lo: {1: 0, 2: 1}, hi: {1: 2, 2: 3}}
          bob: {lo: {1: 1, 2: 1}, hi: {1: -1, 2: 0.5}}
        transitions: {2: {no: 1}, 3: {no: 1/3, yes: 2/3}, 4: {yes: 1}}
      down:
        actions: {ann: {lo: 1}, all: {lo: 1, mid: 3/2}}
        rewards: {all: {lo: {1: 0, 3/2: 1}, mid: {1: 1}}}
        transitions: {2: {no: 1}, 5/2: {yes: 1}}
  - states:
      no:
        actions: {all: {off: 1}}
        rewards: {all: {off: {1: 0}}}
      yes:
        actions: {all: {off: 1, on: 2}}
        rewards: {all: {off: {1: 0, 2: 0}, on: {1: 1, 2: 1}}}
"""


def read(tmp_path: Path, text: str | bytes) -> Game:
    path = tmp_path / "game.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_game(path)


def changed(*pairs: tuple[str, str]) -> str:
    """The small file with its pieces replaced; each must be there exactly once."""
    text = SMALL
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_the_small_file(tmp_path: Path) -> None:
    game = read(tmp_path, SMALL)
    assert game.states == (("up", "down"), ("no", "yes"))
    assert game.actions[1][1] == (("off", "on"), ("off", "on"))
    assert game.reward[0, 0, 1, 1, :3].tolist() == [-1, 0, 0.5]
    assert game.reward[0, 1, 1, 1, 0] == 1  # Bob plays mid against Ann's lo
    assert game.reward[0, 1, 0, 0, :2].tolist() == [0, 1]  # Ann plays lo against Bob's lo, mid
    assert game.transition[0, 0, 2].tolist() == [1 / 3, 2 / 3]
    assert game.aggregate_value(1) == Fraction(5, 4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("format: amg-game/1", "---\n# a comment\nformat: 'amg-game/1'"),
        ("{origin: 1, unit: 1/2}", "{unit: 0.50, origin: 1e0}"),
        ("{origin: 1, unit: 1/2}", "{unit: '+.5', origin: \"2/2\"}"),
        ("{up: 1/4, down: 3/4}", "{down: 0.75, up: 25e-2}"),
        ("name: small", "name: small\ndescription: |\n  many\n\n  lines: of text"),
        ("aggregator: mean", "aggregator: {name: mean, scale: 1/2}"),
        ("5/2: {yes: 1}", "2.5: {yes: 1.0}"),
        ("- states:\n      no", "- repeat: 1\n    states:\n      no"),
        ("format: amg-game/1", "\ufeffformat: amg-game/1"),
        ("\n", "\r\n"),
    ],
)
def test_the_same_said_otherwise(tmp_path: Path, old: str, new: str) -> None:
    assert old in SMALL
    assert_same(read(tmp_path, SMALL.replace(old, new)), read(tmp_path, SMALL))


def test_defaults(tmp_path: Path) -> None:
    text = changed(("aggregator: mean\n", ""), ("effort_grid: {origin: 1, unit: 1/2}\n", ""))
    text = text.replace("3/2", "2").replace("5/2", "3").replace("down: 3/4", "down: 0.75")
    game = read(tmp_path, text)
    assert (game.aggregator, game.aggregate_scale, game.origin, game.unit) == ("sum", 1, 0, 1)


def test_a_repeated_last_step_leads_on_to_itself(tmp_path: Path) -> None:
    text = changed(
        ("- states:\n      no", "- repeat: 3\n    states:\n      no"),
        (
            "rewards: {all: {off: {1: 0}}}",
            "rewards: {all: {off: {1: 0}}}\n        transitions: {2: {yes: 1}}",
        ),
        (
            "on: {1: 1, 2: 1}}}",
            "on: {1: 1, 2: 1}}}\n        transitions: {2: {no: 1}, 3: {no: 1}, 4: {no: 1}}",
        ),
    )
    game = read(tmp_path, text)
    assert game.T == 4
    assert game.transition[2, 0, 0].tolist() == [0, 1]
    assert np.array_equal(game.transition[1], game.transition[2])
    assert not game.transition[3].any()


# --- mistakes ------------------------------------------------------------------------------------

UP, DOWN = "steps[0].states.up", "steps[0].states.down"

MISTAKES: dict[str, tuple[tuple[str, str], list[str]]] = {
    # the whole
    "format missing": (("format: amg-game/1\n", ""), ["format: amg-game/1"]),
    "newer format": (("amg-game/1", "amg-game/2"), [":1: format: ", "needs 'format: amg-game/1'"]),
    "format a list": (("amg-game/1", "[amg-game/1]"), [":1: format: "]),
    "key missing": (("name: small\n", ""), [":1: name: is missing; add it"]),
    "unknown key": (
        ("name: small", "nmae: small"),
        [":2: nmae: unknown key", "name, description, agents"],
    ),
    "repeated key": (("name: small", "name: a\nname: b"), [":3: name: repeats the key of line 2"]),
    "name empty": (("name: small", "name:"), [":2: name: '' must be text on one line"]),
    "name not text": (
        ("name: small", "name: [small]"),
        [":2: name: a list of 1 must be text on one line"],
    ),
    "name of two lines": (
        ("name: small", 'name: "a\\nb"'),
        [r"name: 'a\nb' must be text on one line"],
    ),
    "agents no list": (("[ann, bob]", "2"), [":3: agents: '2' must be a valid list"]),
    "agents empty": (("[ann, bob]", "[]"), [":3: agents: a list of 0 must have at least 1 item"]),
    "agents repeated": (
        ("[ann, bob]", "[ann, ann]"),
        [":3: agents: names 'ann', 'ann' must be distinct"],
    ),
    "aggregator": (
        ("aggregator: mean", "aggregator: max"),
        ["aggregator: 'max' must be 'sum' or 'mean'"],
    ),
    "aggregator's scale": (
        ("aggregator: mean", "aggregator: {name: x, scale: -1}"),
        ["aggregator.scale: '-1' must be greater than 0"],
    ),
    "aggregator's scale on its own line": (
        ("aggregator: mean", "aggregator:\n  name: x\n  scale: none"),
        [":6: aggregator.scale: 'none' must be a number"],
    ),
    "aggregator a list": (
        ("aggregator: mean", "aggregator: [mean]"),
        [":4: aggregator: a list of 1 must be 'sum' or 'mean'", "{name: text, scale: number}"],
    ),
    "description a list": (
        ("name: small", "name: small\ndescription: [a]"),
        [":3: description: a list of 1 must be a valid string"],
    ),
    "grid": (("unit: 1/2}", "step: 1/2}"), [":5: effort_grid.step: unknown key; there are origin"]),
    "unit": (("unit: 1/2}", "unit: 0}"), [":5: effort_grid.unit: '0' must be greater than 0"]),
    "origin": (
        ("origin: 1,", "origin: one,"),
        ["effort_grid.origin: 'one' must be a number like", "2/3"],
    ),
    "range of one": (
        ("[-1, 3]", "[3]"),
        [":6: reward_range: a list of 1 must have at least 2 items", "[low, high]"],
    ),
    "range backward": (
        ("[-1, 3]", "[3, -1]"),
        [":6: reward_range: [3.0, -1.0]", "give low < high"],
    ),
    "range infinite": (
        ("[-1, 3]", "[-1, .inf]"),
        ["reward_range[1]: '.inf' must be a number like"],
    ),
    "range too large": (
        ("[-1, 3]", "[-1, 1e400]"),
        ["reward_range[1]: '1e400' must be a number below 1e308"],
    ),
    "range sexagesimal": (
        ("[-1, 3]", "[-1, 1:30]"),
        ["reward_range[1]: '1:30' must be a number like"],
    ),
    "range octal": (("[-1, 3]", "[-1, 0o3]"), ["reward_range[1]: '0o3' must be a number like"]),
    "number bomb": (("[-1, 3]", "[-1, 1e999999999]"), ["'1e999999999' must be a number like"]),
    "long value": (("[-1, 3]", f"[-1, {'x' * 999}]"), ["xxx... must be a number like"]),
    # laws
    "initial state": (
        ("{up: 1/4,", "{left: 1/4,"),
        [":7: initial: unknown state 'left'", "up, down"],
    ),
    "initial sum": (("{up: 1/4,", "{up: 1/3,"), [":7: initial: probabilities sum to 1.08", "1/3"]),
    "initial sign": (
        ("{up: 1/4, down: 3/4}", "{up: -1/4, down: 5/4}"),
        ["initial.up: '-1/4' must be greater than or equal to 0", "probability"],
    ),
    "probability": (
        ("yes: 2/3}", "yes: 2/O}"),
        [f"{UP}.transitions.3.yes: '2/O' must be a number"],
    ),
    "probability/0": (
        ("yes: 2/3}", "yes: 2/0}"),
        [f"{UP}.transitions.3.yes: '2/0' must be a number"],
    ),
    "probability sum": (
        ("yes: 2/3}", "yes: 0.66}"),
        [f"{UP}.transitions.3: probabilities sum to 0.99"],
    ),
    "probability empty": (("4: {yes: 1}", "4: "), [f"{UP}.transitions.4: '' must be a mapping"]),
    "next state": (
        ("5/2: {yes: 1}", "5/2: {up: 1}"),
        [f"{DOWN}.transitions.5/2: unknown state 'up'", "no, yes"],
    ),
    # steps and states
    "steps missing": ((SMALL[SMALL.index("steps:") :], ""), ["steps: is missing"]),
    "steps no list": (("  - states:\n      up", "    states:\n      up"), [": "]),
    "step unknown key": (
        ("- states:\n      no", "- times: 2\n    states:\n      no"),
        ["steps[1].times"],
    ),
    "repeat 0": (
        ("- states:\n      no", "- repeat: 0\n    states:\n      no"),
        [":20: steps[1].repeat: '0' must be greater than or equal to 1"],
    ),
    "repeat 1/2": (
        ("- states:\n      no", "- repeat: 1/2\n    states:\n      no"),
        ["steps[1].repeat: '1/2' must be a whole number"],
    ),
    "repeat a billion": (
        ("- states:\n      no", "- repeat: 1e9\n    states:\n      no"),
        ["steps[1].repeat: '1e9' must be less than or equal to 10000"],
    ),
    "repeat without transitions": (
        ("- states:\n      no", "- repeat: 2\n    states:\n      no"),
        [":22: steps[1].states.no.transitions.2: can happen but is missing"],
    ),
    "many steps": (
        ("- states:\n      up", "- repeat: 10000\n    states:\n      up"),
        ["steps: makes 10001 steps; at most 10000"],
    ),
    "transitions at the end": (
        (
            "rewards: {all: {off: {1: 0}}}",
            "rewards: {all: {off: {1: 0}}}\n        transitions: {2: {no: 1}}",
        ),
        ["steps[1].states.no.transitions.2: belongs to nothing that can happen"],
    ),
    "state key": (
        ("transitions: {2: {no: 1}, 5", "transition: {2: {no: 1}, 5"),
        [f"{DOWN}.transition: unknown"],
    ),
    "state odd name": (("down:\n", "'d.o wn':\n"), ["initial: unknown state 'down'"]),
    # actions
    "effort off the grid": (
        ("hi: 2}}", "hi: 1.75}}"),
        [":11: ", f"{UP}.actions.all.hi: effort 7/4", "1 + 1/2·n"],
    ),
    "effort below": (("hi: 2}}", "hi: 0}}"), [f"{UP}.actions.all.hi: effort 0 is off the grid"]),
    "effort no": (("hi: 2}}", "hi: no}}"), [f"{UP}.actions.all.hi: 'no' must be a number"]),
    "effort huge": (("hi: 2}}", "hi: 1e300}}"), [f"{UP}.actions.all.hi: effort 1e+300", "coarser"]),
    "actions empty": (
        ("{all: {off: 1}}", "{all: {}}"),
        ["states.no.actions.all: a mapping of 0 must have at least 1 item"],
    ),
    "actions for nobody": (
        ("{ann: {lo: 1}, all:", "{bob: {lo: 1}, carl:"),
        [f"{DOWN}.actions.carl: is no agent; there are ann, bob"],
    ),
    "agent missing": (
        ("{ann: {lo: 1}, all: {lo: 1, mid: 3/2}}", "{ann: {lo: 1}}"),
        [f"{DOWN}.actions.bob: can happen but is missing"],
    ),
    "all for nobody": (
        ("{all: {off: 1}}", "{all: {off: 1}, ann: {off: 1}, bob: {off: 1}}"),
        ["states.no.actions.all: belongs to nothing that can happen"],
    ),
    # rewards
    "rewards missing": (
        ("        rewards: {all: {off: {1: 0}}}\n", ""),
        ["states.no.rewards: is missing"],
    ),
    "rewards agent": (
        ("          bob:", "          bab:"),
        [f"{UP}.rewards.bab: is no agent; there are ann, bob"],
    ),
    "rewards action missing": (
        ("hi: {1: -1, 2: 0.5}}", "ho: {1: -1, 2: 0.5}}"),
        [f"{UP}.rewards.bob.hi.1: can happen but is missing"],
    ),
    "rewards action extra": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: 0.5}, ho: {1: 0, 2: 0}}"),
        [f"{UP}.rewards.bob.ho.1: belongs to nothing that can happen here; remove"],
    ),
    "pay missing": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1}}"),
        [f":14: {UP}.rewards.bob.hi.2: can happen but is missing"],
    ),
    "pay extra": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: 0.5, 3: 0}}"),
        [f"{UP}.rewards.bob.hi.3: belongs to nothing that can happen here; remove it"],
    ),
    "pay twice": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: 0.5, 2.0: 0}}"),
        [f"{UP}.rewards.bob.hi: the sum 2 is there twice"],
    ),
    "pay outside": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: 19}}"),
        [f"{UP}.rewards.bob.hi.2: reward 19.0 is outside reward_range [-1.0, 3.0]"],
    ),
    "pay nan": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: .nan}}"),
        [f"{UP}.rewards.bob.hi.2: '.nan' must be a number"],
    ),
    "pay a mapping": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, 2: {a: 1}}}"),
        [f"{UP}.rewards.bob.hi.2: a mapping of 1 must be a number"],
    ),
    "sum no number": (
        ("hi: {1: -1, 2: 0.5}}", "hi: {1: -1, two: 0.5}}"),
        [f"{UP}.rewards.bob.hi.two: the key 'two' must be a number"],
    ),
    "total missing": (
        (", 5/2: {yes: 1}}", "}"),
        [f":19: {DOWN}.transitions.5/2: can happen but is missing"],
    ),
    "total extra": (
        (", 5/2: {yes: 1}}", ", 5/2: {yes: 1}, 9: {yes: 1}}"),
        [f"{DOWN}.transitions.9: belongs to nothing that can happen"],
    ),
    "transitions missing": (
        ("        transitions: {2: {no: 1}, 5/2: {yes: 1}}\n", ""),
        [f"{DOWN}.transitions.2: can happen but is missing"],
    ),
    # YAML
    "tag": (
        ("name: small", "name: !!python/object:os.system small"),
        [":2: name: has the tag", "remove"],
    ),
    "local tag": (("name: small", "name: ! small"), [":2: name: has the tag '!'"]),
    "anchor": (("name: small", "name: &a small"), [":2: name: has an anchor or alias"]),
    "alias": (("name: small", "name: *a"), [":2: name: has an anchor or alias"]),
    "key is a list": (("name: small", "? [name]\n: small"), [":2: ?: a list of 1 is not a key"]),
    "key is empty": (("name: small", "'': small"), [":2: ?: '' is not a key"]),
    "two documents": (("name: small", "name: small\n---\na: b"), ["more than one YAML document"]),
    "unclosed": (("[ann, bob]", "[ann, bob"), ["not YAML"]),
    "tab": (("name: small", "\tname: small"), [":2: not YAML"]),
    "control character": (("name: small", "name: sm\x01ll"), ["not YAML: control characters"]),
}


@pytest.mark.parametrize(("change", "words"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_line(tmp_path: Path, change: tuple[str, str], words: list[str]) -> None:
    with pytest.raises(AmgError) as refusal:
        read(tmp_path, changed(change))
    message = str(refusal.value)
    assert message.startswith(f"{tmp_path / 'game.yaml'}:")
    assert message.isprintable()
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; the first line should be 'format: amg-game/1'"),
        (b"# nothing\n", "is empty"),
        (b"just text", "not a game file of this version; it needs 'format: amg-game/1'"),
        (b"- a\n- b", "not a game file"),
        (b"{}", "not a game file"),
        (b"format: amg-game/1", "name: is missing"),
        (b"\xff\xfef\x00o\x00", "byte 0 is not UTF-8"),
        ("name: d\u00e9j\u00e0".encode("latin-1"), "byte 7 is not UTF-8"),
        (b"a: \x00", "not YAML"),
        (b"[" * 100_000, "nested more than 12 deep"),
        (b"{a: " * 100_000, "nested more than 12 deep"),
        (b"- " * 100_000, "nested more than 12 deep"),
        (b"a: &a [x]\nb: [*a, *a]", "anchor or alias"),
        (b"%YAML 9.9\n---\na: b", "not YAML"),
        (b"PK\x03\x04", "not YAML"),
    ],
)
def test_what_is_no_game_file_is_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(AmgError) as refusal:
        read(tmp_path, content)
    message = str(refusal.value)
    assert message.startswith(f"{tmp_path / 'game.yaml'}")
    assert message.isprintable()
    assert words in message


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.yaml: cannot be read: No such file"):
        load_game(tmp_path / "none.yaml")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        load_game(tmp_path)
    with pytest.raises(FileError, match="cannot be read: embedded null") as refusal:
        load_game("a\0\nb")
    assert str(refusal.value).isprintable()


def game_of(agents: int, actions: int, steps: int) -> str:
    """As large a game as can be said in a few lines: everybody does nothing, in many ways."""
    names = [f"a{j}" for j in range(actions)]
    return (
        "format: amg-game/1\nname: large\nreward_range: [0, 1]\ninitial: {s: 1}\n"
        f"agents: [{', '.join(f'b{j}' for j in range(agents))}]\n"
        f"steps:\n- repeat: {steps}\n  states:\n    s:\n      transitions: {{0: {{s: 1}}}}\n"
        f"      actions: {{all: {{{', '.join(f'{name}: 0' for name in names)}}}}}\n"
        f"      rewards: {{all: {{{', '.join(f'{name}: {{0: 1}}' for name in names)}}}}}\n"
    )


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ((6000, 1, 10_000), "steps: 10000 steps × 1 states × 6000 agents are more than"),
        ((1, 10_000, 10_000), "steps: 10000 steps × 1 states × 1 agents × 10000 actions are"),
    ],
)
def test_games_too_large_are_refused_before_room_is_made(
    tmp_path: Path, sizes: tuple[int, int, int], says: str
) -> None:
    """The first would take gigabytes of menus, the second an array of 800 MB, or any size."""
    tracemalloc.start()
    with pytest.raises(ParameterError, match=says) as refusal:
        read(tmp_path, game_of(*sizes))
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()
    assert "make the game smaller" in str(refusal.value)


def test_long_lists_are_cut_in_messages(tmp_path: Path) -> None:
    twice = game_of(100, 1, 2).replace("b99", "b0")
    with pytest.raises(ParameterError, match=r"agents: names 'b0', .*, 'b19' and 80 more must be"):
        read(tmp_path, twice)


def test_large_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "LARGEST", 1 << 20)
    with pytest.raises(FileError, match="larger than 1 MB"):
        read(tmp_path, SMALL + "#" * (1 << 20))


def test_the_readers_of_pyyaml_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the compiled parser the same files are read, and refused in one line too."""
    fast = read(tmp_path, SMALL)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert_same(read(tmp_path, SMALL), fast)
    for text in ("a: \x00", "[", "a: &a b", "\tname: small"):
        with pytest.raises(FileError) as refusal:
            read(tmp_path, text)
        assert str(refusal.value).isprintable()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_to_a_file_gets_through_as_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Replace any piece of a good file by anything: a game or one line, never another error."""
    start = data.draw(st.integers(0, len(SMALL)))
    end = data.draw(st.integers(start, min(len(SMALL), start + 12)))
    piece = data.draw(st.text(st.characters(exclude_categories=("Cs",)), max_size=6) | surprising)
    message = ""
    try:
        read(tmp_path_factory.mktemp("damaged"), SMALL[:start] + piece + SMALL[end:])
    except AmgError as error:
        message = str(error)
    assert message.isprintable()
