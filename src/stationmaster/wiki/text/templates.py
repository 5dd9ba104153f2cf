"""Pages whose prose is a template: Markdown with values put in, each escaped as text of a page.

A paragraph may go over several lines of a template; a blank line ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stationmaster.wiki.text.inline import Md, code, counted, joined, text, with_article

_BLOCKS = ("|", "- ", ">", "#", "```", "1. ")


def blocks(template: str, /, **values: Any) -> Iterator[str]:
    """The blocks of a template by its name, in their order."""
    rendered = _environment().get_template(f"{template}.md.j2").render(**values)
    lines: list[str] = []
    fence = ""
    for line in rendered.split("\n"):
        mark = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line == fence else fence
        elif len(mark) >= len("```") and "`" not in line[len(mark) :]:
            fence = mark
        elif not line.strip():
            yield from _block(lines)
            lines = []
            continue
        lines.append(line)
    yield from _block(lines)


def _block(lines: list[str]) -> Iterator[str]:
    if lines:
        is_prose = not lines[0].startswith(_BLOCKS)
        yield " ".join(" ".join(lines).split()) if is_prose else "\n".join(lines)


def _shown(value: object) -> Any:
    """Text of the repository becomes text of the page."""
    return value if isinstance(value, Md | Markup) else text(str(value))


def _list(parts: list[Md], last: str = " and ") -> Md:
    return joined(list(parts), last=last)


@lru_cache(1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("stationmaster.wiki", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(code=code, counted=counted, listed=_list, with_article=with_article)
    return made
