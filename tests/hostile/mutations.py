"""Mutated YAML: from a valid text and a number, a text with something done to it.

`mutate(text, seed)` is a pure function. What it returns says what was done, what must come of it
(the same meaning, a refusal, or either) and what a refusal has to name. It knows nothing of what
the text means, so that it serves for every kind of file.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import yaml

Fate = Literal["same", "refused", "either"]
Path = tuple[str | int, ...]
MARK = "MARK"  # stands for raw YAML until the text is written

SURPRISING = (
    *(".nan", "NaN", ".inf", "-.inf", "Infinity", "1e400", "1e999", "1e999999999", "1e-999"),
    *("-1", "0", "-0", "1", "0.5", "1/2", "1/0", "1e12", "1e13", "1e308", "9" * 400, "9" * 5000),
    *("0x10", "0o17", "1_000", "1,5", "1:30", "２", "+1", "1.", ".5", "1e5", "2024-01-01"),
    *("no", "yes", "true", "null", "~", "", " ", "=", "<<", "y", "../../x", "/etc/passwd"),
    *("a\nb", "\x1b[31mred", "\x00", "\u202e", "é", "😀", "x" * 3000, "!!int 3", "&a", "*a"),
    *("{low.__class__}", "{low:>999999999}", "%s", "$HOME", "`id`", "fishermen", "v-cv", "all"),
)
TAGS = ("!!python/object/apply:os.mkdir [touched]", "!!int 3", "!x y", "!!binary aGk=", "! z")


@dataclass(frozen=True)
class Mutant:
    """A text with something done to it."""

    what: str
    data: bytes
    fate: Fate
    names: tuple[str, ...] = ()  # what a refusal says, all of it
    about: tuple[str, ...] = ()  # what it says some of: the value, or a key on the way to it


def mutate(text: str, seed: int) -> Mutant:
    """The mutant of this text with this number."""
    rng = random.Random(f"{seed} {text}")
    return MUTATIONS[seed % len(MUTATIONS)](text, rng)


# --- trees ----------------------------------------------------------------------------------------


def tree(text: str) -> Any:
    """All texts, lists and mappings of a document, read by another reader than ours."""
    return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))


def write(content: Any, raw: str = "", **style: Any) -> str:
    """A tree as YAML, with `raw` in place of the mark."""
    text: str = yaml.dump(content, allow_unicode=True, sort_keys=False, width=10**6, **style)
    assert text.count(MARK) == (1 if raw else 0)
    return text.replace(MARK, raw)


def places(content: Any, path: Path = ()) -> Iterator[Path]:
    """Every node below the top."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    for key, child in pairs:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from places(child, (*path, key))


def at(content: Any, path: Path) -> Any:
    for key in path:
        content = content[key]
    return content


def put(content: Any, path: Path, value: Any) -> Any:
    """A copy of the tree with another value at this place."""
    changed = copy.deepcopy(content)
    at(changed, path[:-1])[path[-1]] = value
    return changed


def pick(content: Any, rng: random.Random, fits: Callable[[Any], bool]) -> Path:
    """A random place whose value fits."""
    return rng.choice([path for path in places(content) if fits(at(content, path))])


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_mapping(value: Any) -> bool:
    return isinstance(value, dict) and len(value) > 0


def anything(value: Any) -> bool:
    return True


def last(path: Path) -> str:
    """How a message names the last key, if it has one."""
    return f"[{path[-1]}]" if isinstance(path[-1], int) else str(path[-1])


def about(path: Path, value: str) -> tuple[str, ...]:
    """What a refusal of a value may name."""
    return (repr(value[:20])[1:-1], *(key for key in path if isinstance(key, str)))


# --- what can be done to a text -------------------------------------------------------------------


def unknown_key(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick({"top": content}, rng, is_mapping)
    changed = copy.deepcopy(content)
    at({"top": changed}, path)["surprise"] = "x"
    return Mutant(f"unknown key in {path}", write(changed).encode(), "refused", ("surprise",))


def missing_key(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick({"top": content}, rng, is_mapping)
    key = rng.choice(list(at({"top": content}, path)))
    del at({"top": content}, path)[key]
    return Mutant(f"no {key} in {path}", write(content).encode(), "either")


def renamed_key(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick({"top": content}, rng, is_mapping)
    mapping = at({"top": content}, path)
    key = rng.choice(list(mapping))
    new = rng.choice([f"{key}_", key.upper(), key[:-1], *SURPRISING])
    renamed = {new if old == key else old: value for old, value in mapping.items()}
    mapping.clear()
    mapping.update(renamed)
    return Mutant(f"{key} is {new[:20]!r} in {path}", write(content).encode(), "either")


def repeated_key(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick({"top": content}, rng, is_mapping)
    mapping = at({"top": content}, path)
    key = rng.choice(list(mapping))
    mapping[MARK] = "again"
    raw = yaml.dump(key, default_style='"', width=10**6).strip()
    return Mutant(f"{key} twice in {path}", write(content, raw).encode(), "refused", ("repeats",))


def tagged(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, anything)
    raw = rng.choice(TAGS)
    data = write(put(content, path, MARK), raw).encode()
    return Mutant(f"{raw} at {path}", data, "refused", ("has the tag", last(path)))


def anchored(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, anything)
    raw = rng.choice(["&a x", "*a", "&a [1, 2]", "&a {b: *a}"])
    data = write(put(content, path, MARK), raw).encode()
    return Mutant(f"{raw} at {path}", data, "refused", ("anchor or alias",))


def alias_bomb(text: str, rng: random.Random) -> Mutant:
    """Nine times nine times nine …: a kilobyte that is gigabytes when written out."""
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{j}: &a{j} [{', '.join([f'*a{j - 1}'] * 9)}]" for j in range(1, 12)]
    data = "\n".join([*bomb, text] if rng.random() < 0.5 else [text, *bomb])
    return Mutant("an alias bomb", data.encode(), "refused", ("anchor or alias",))


def nested(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, anything)
    opening, closing = rng.choice([("[", "]"), ("{a: ", "}"), ("[", ""), ("{a: ", "")])
    depth = rng.choice([20, 1000, 100_000])
    data = write(put(content, path, MARK), opening * depth + closing * depth).encode()
    return Mutant(f"{depth} × {opening} at {path}", data, "refused", ("nested",))


def surprising_value(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, is_text)
    value = rng.choice(SURPRISING)
    data = write(put(content, path, value)).encode()
    return Mutant(f"{value[:20]!r} at {path}", data, "either", about=about(path, value))


def other_number(text: str, rng: random.Random) -> Mutant:
    """A number that is huge, tiny, negated or not whole."""
    content = tree(text)
    path = pick(content, rng, lambda value: number(value) is not None)
    value = str(at(content, path))
    new = rng.choice([f"-{value}", f"{value}e9", f"{value}e-9", f"{value}.5", f"{value}0", "1e18"])
    data = write(put(content, path, new)).encode()
    return Mutant(f"{new} at {path}", data, "either", about=about(path, new))


def wrong_type(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, anything)
    value = at(content, path)
    wrong = rng.choice([[value], {"x": value}]) if is_text(value) else rng.choice(["x", "", "3"])
    data = write(put(content, path, wrong)).encode()
    return Mutant(f"{str(wrong)[:20]} at {path}", data, "refused", (last(path),))


def emptied(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, lambda value: not is_text(value))
    data = write(put(content, path, type(at(content, path))())).encode()
    return Mutant(f"nothing in {path}", data, "either")


def repeated_item(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    path = pick(content, rng, lambda value: isinstance(value, list) and len(value) > 0)
    items = at(content, path)
    items.insert(rng.randrange(len(items) + 1), copy.deepcopy(rng.choice(items)))
    return Mutant(f"an item twice in {path}", write(content).encode(), "either")


def bad_encoding(text: str, rng: random.Random) -> Mutant:
    data = text.encode()
    where = rng.randrange(len(data) + 1)
    how = rng.choice([b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\x80", "utf-16", "utf-32"])
    if isinstance(how, str):
        return Mutant(how, text.encode(how), "refused", ("UTF-8",))
    while where < len(data) and data[where] & 0xC0 == 0x80:  # not inside a character
        where += 1
    return Mutant(f"{how!r} at {where}", data[:where] + how + data[where:], "refused", ("UTF-8",))


def control_character(text: str, rng: random.Random) -> Mutant:
    where = rng.randrange(len(text) + 1)
    character = rng.choice("\x00\x01\x07\x1b\x7f\x9f\ufffe\uffff")
    data = (text[:where] + character + text[where:]).encode()
    return Mutant(f"{character!r} at {where}", data, "either")


def not_a_document(text: str, rng: random.Random) -> Mutant:
    data = rng.choice(
        [
            *(
                b"",
                b"\n\n",
                b"# nothing\n",
                b"---\n",
                b"\xef\xbb\xbf",
                b"\x00" * 1000,
                b"PK\x03\x04",
            ),
            *(b"just text", b"3", b"null", b"- a\n", b"{}", b"[]", b"? [a]\n: b\n", b"\ta: b"),
            *(b"%YAML 9.9\n---\na: b\n", b"a: b\n---\nc: d\n", f"{text}\n---\n{text}".encode()),
        ]
    )
    return Mutant(f"{data[:20]!r}", data, "refused")


def cut_short(text: str, rng: random.Random) -> Mutant:
    data = text.encode()
    where = rng.randrange(len(data))
    return Mutant(f"cut at {where}", data[:where], "either")


def damaged(text: str, rng: random.Random) -> Mutant:
    """A few characters replaced by others that mean something in YAML."""
    start = rng.randrange(len(text))
    piece = "".join(rng.choices("{}[]:,-#&*!|>'\"%@`?~=\\/ \n\t0x.e", k=rng.randrange(4)))
    data = (text[:start] + piece + text[start + rng.randrange(6) :]).encode()
    return Mutant(f"{piece!r} at {start}", data, "either")


def moved_line(text: str, rng: random.Random) -> Mutant:
    lines = text.splitlines()
    lines.insert(rng.randrange(len(lines)), lines.pop(rng.randrange(len(lines))))
    return Mutant("a line elsewhere", "\n".join(lines).encode(), "either")


def restyled(text: str, rng: random.Random) -> Mutant:
    content = tree(text)
    how, data = rng.choice(
        [
            ("blocks", write(content, default_flow_style=False)),
            ("flow", write(content, default_flow_style=True)),
            ("double quotes", write(content, default_style='"')),
            ("single quotes", write(content, default_style="'")),
            ("a byte-order mark", "\ufeff" + text),
            ("another line end", text.replace("\n", "\r\n")),
            ("comments", "# one\n" + text + "\n# two\n"),
            ("a document's marks", "---\n" + text + "\n...\n"),
            ("JSON", json.dumps(content)),
        ]
    )
    return Mutant(how, data.encode(), "same")


def respelled_number(text: str, rng: random.Random) -> Mutant:
    """A number in other digits that mean the same."""
    content = tree(text)
    path = pick(content, rng, lambda value: number(value) is not None)
    value = number(at(content, path))
    assert value is not None
    new = rng.choice([f"{value:e}", f"{value:f}", f"{value:E}", f"{value:+f}", f"{value:.3e}"])
    if Decimal(new) != value:
        new = f"{value:e}"
    return Mutant(f"{new} at {path}", write(put(content, path, new)).encode(), "same")


def number(value: Any) -> Decimal | None:
    """The number that a text of plain digits is."""
    try:
        return Decimal(value) if is_text(value) and value.strip("+-.0123456789eE") == "" else None
    except InvalidOperation:
        return None


MUTATIONS: tuple[Callable[[str, random.Random], Mutant], ...] = (
    *(unknown_key, missing_key, renamed_key, repeated_key, tagged, anchored, alias_bomb, nested),
    *(surprising_value, surprising_value, other_number, wrong_type, emptied, repeated_item),
    *(bad_encoding, control_character, not_a_document, cut_short, damaged, damaged, moved_line),
    *(restyled, respelled_number),
)
