"""A model is told what stands on a page: without line numbers, links, secrets and hidden signs."""

from __future__ import annotations

from stationmaster.wiki.prose.bundles import BYTES_MAX, bundle
from stationmaster.wiki.prose.prompts import prompt, tokens
from stationmaster.wiki.prose.slots import Kind
from tests.wiki.canaries import all_kinds

BODY = """\
# core

It has 12 files; see [the map](repository-map.md) and [`a.py:3-9`](source:src/a.py#L3-L9).

## Files

| File | Says |
| --- | --- |
| [`a.py:3`](source:src/a.py#L3) | a \\| b \\*c\\* |
| `b.py` |  |

First 40 of 90.

## Uses

| Module | Imports |
| --- | --- |
| [web](web.md) | 3 |

*Picture*

```mermaid
flowchart TB
  n1["api"]
  n2["core"]
  n1 -->|"2"| n2
```

- store → core
- **Clock**: a `tick`

```sh
make test
```

> Words of a document
>
> — [`README.md:1`](source:README.md#L1)

## Related pages

- [x](x.md)

## Sources

- [`a.py`](source:a.py)
"""


def test_each_thing_on_a_page_is_a_fact_of_its_kind() -> None:
    found = bundle("core", "module-purpose", BODY)

    assert [(fact.kind, fact.text) for fact in found.facts] == [
        ("sentence", "It has 12 files; see the map and `src/a.py`."),
        ("row", "File: `src/a.py`; Says: a | b *c*"),
        ("row", "File: `b.py`"),
        ("sentence", "First 40 of 90."),
        ("row", "Module: web; Imports: 3"),
        ("edge", "core → web"),
        ("sentence", "*Picture*"),
        ("edge", "api → core"),
        ("edge", "store → core"),
        ("item", "Clock: a `tick`"),
        ("command", "make test"),
        ("excerpt", "Words of a document  — `README.md`".replace("  ", " ")),
    ]
    assert len({fact.id for fact in found.facts}) == len(found.facts)


def test_a_key_stays_while_lines_and_figures_change() -> None:
    moved = BODY.replace("a.py:3-9", "a.py:13-19").replace("L3-L9", "L13-L19")
    grown = moved.replace("12 files", "1,300 files")
    other = BODY.replace("`b.py`", "`c.py`")

    key = bundle("core", "s", BODY).key("m")

    assert bundle("core", "s", moved).key("m") == key
    assert bundle("core", "s", grown).key("m") == key
    assert len({key, bundle("core", "s", other).key("m"), bundle("core", "t", BODY).key("m"),
                bundle("core", "s", BODY).key("n")}) == 4  # fmt: skip


def test_no_secret_and_nothing_invisible_is_in_a_prompt() -> None:
    canaries = [each for each in all_kinds() if "\n" not in each.text]
    hidden = "\u202eevil\u200b\u2066\x07\ufeff"
    body = "# core\n\n" + "\n\n".join(f"- item {each.text} {hidden}" for each in canaries)

    told = prompt(bundle("core", "s", body), Kind("s", "text"))

    assert [each.kind for each in canaries if each.secret in told.data] == []
    assert "evil" in told.data
    assert not {*hidden} - {*"evil"} & {*told.data}


def test_a_prompt_of_a_huge_page_is_bounded() -> None:
    rows = "".join(f"| `file{number}` | {'word ' * 300} |\n" for number in range(5_000))

    told = prompt(
        bundle("core", "s", f"# core\n\n| A | B |\n| --- | --- |\n{rows}"), Kind("s", "t")
    )

    assert len(told.data.encode()) < BYTES_MAX + 5_000
    assert tokens(told.rules) + tokens(told.data) < 24_000


def test_odd_pages_are_read_to_their_end() -> None:
    for body in ("", "#", "|", "|\n|\n|", "```", "```mermaid\n", "- \n- ", ">", "> ", "a → b"):
        bundle("core", "s", body)
