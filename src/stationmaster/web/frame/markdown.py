"""Markdown of wikis as HTML: text stays text, links to pages lead to pages, images are words.

An uploaded wiki may hold anything: none of its HTML passes, addresses other than
of the web are no links, and a page over WHOLE_MAX is shown as it is written, because rendering
takes up to a second per 100 kB.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

from stationmaster.web.diagrams import bars, classes, entities, flow_charts, sequences, states
from stationmaster.web.diagrams.drawing import Diagram
from stationmaster.web.frame.templates import environment

LINES_MAX, LINE_MAX = 400, 500
"""Lines of a diagram, and characters of a line, that are read."""
_READERS = {
    "flowchart": flow_charts.read,
    "graph": flow_charts.read,
    "sequenceDiagram": sequences.read,
    "classDiagram": classes.read,
    "classDiagram-v2": classes.read,
    "erDiagram": entities.read,
    "xychart-beta": bars.read,
    "xychart": bars.read,
    "pie": bars.read_pie,
    "stateDiagram": states.read,
    "stateDiagram-v2": states.read,
}

WHOLE_MAX = 100_000
"""Characters of a page that are rendered."""
WIDE_MIN = 14
"""Letters of a text or a name in a cell that needs room."""
DIAGRAMS_MAX = 20
"""Of a page that are drawn; further ones are shown as they are written."""
_CACHED = 64
_JOINT = re.compile(r"(?<=\w[/_.:\-])(?=\w)")


class Heading(NamedTuple):
    """An entry of a page's outline; `anchor` is its place in the page."""

    anchor: str
    text: str
    level: int


class Rendered(NamedTuple):
    """A page for a browser. `html` is the renderer's, which escapes all text of a page."""

    html: str
    outline: tuple[Heading, ...]


def render(text: str, path: str, pages: Mapping[str, str], files: str = "") -> Rendered:
    """A page as HTML. `path` is the page's own, `pages` has addresses of pages by their path;
    `files` is the address of our page of files, to which links may lead."""
    if len(text) > WHOLE_MAX:
        return Rendered(f"<pre>{escape(text)}</pre>", ())
    return _rendered(text, path, tuple(sorted(pages.items())), files)


@lru_cache(_CACHED)
def _rendered(text: str, path: str, pages: tuple[tuple[str, str], ...], files: str) -> Rendered:
    parser = _parser()
    tokens = parser.parse(text)
    outline: list[Heading] = []
    addresses = dict(pages)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _heading(tokens[place + 1], len(outline), int(token.tag[1]))
            token.attrSet("id", heading.anchor)
            outline.append(heading)
        for child in token.children or ():
            if child.type == "link_open":
                _point(child, path, addresses, files)
    html = parser.renderer.render(tokens, parser.options, {})
    return Rendered(html, tuple(outline))


def _heading(inline: Token, number: int, level: int) -> Heading:
    words = "".join(child.content for child in inline.children or ()) or inline.content
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60]
    return Heading(f"s{number}-{slug}", words, level)


def _point(link: Token, path: str, pages: Mapping[str, str], files: str) -> None:
    """Have a link lead to a page of the wiki, or out of it; one that leads nowhere is none."""
    target = str(link.attrGet("href") or "")
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        link.attrSet("rel", "noopener noreferrer")
        return
    if not parts.scheme and not parts.netloc and not parts.path and parts.fragment:
        return
    if files and target.startswith(f"{files}?"):
        return
    folder = posixpath.dirname(path)
    linked = posixpath.normpath(posixpath.join(folder, unquote(parts.path))).removesuffix(".md")
    address = pages.get(linked) or pages.get(linked.removesuffix("/index"))
    link.attrs.pop("href", None)
    if address is not None:
        link.attrSet("href", address)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image)
    parser.add_render_rule("code_inline", _code)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("td_open", _cell)
    return parser


def _image(_renderer: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The words for an image: pages load none from elsewhere."""
    return str(escape(f"[image: {tokens[place].content or 'without a description'}]"))


def _code(_renderer: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """Code in a line, which may wrap where its names have joints, in a table only there."""
    return f"<code>{_JOINT.sub('<wbr>', str(escape(tokens[place].content)))}</code>"


def _cell(
    renderer: Any, tokens: Sequence[Token], place: int, options: Any, env: dict[str, int]
) -> str:
    """A cell with the room that a sentence or a long name in it needs."""
    words = [it for it in tokens[place + 1].children or () if it.content]
    if words and len(words[0].content) >= WIDE_MIN:
        tokens[place].attrJoin("class", "name" if words[0].type == "code_inline" else "sentence")
    return str(renderer.renderToken(tokens, place, options, env))


def _fence(
    _renderer: Any, tokens: Sequence[Token], place: int, _options: Any, env: dict[str, int]
) -> str:
    token = tokens[place]
    if token.info.strip() == "mermaid" and env.setdefault("diagrams", 0) < DIAGRAMS_MAX:
        env["diagrams"] += 1
        if (drawn := read_diagram(token.content)) is not None:
            return environment().get_template("diagram.html").render(drawn._asdict())
    return f'<pre tabindex="0"><code>{escape(token.content)}</code></pre>'


def read_diagram(code: str) -> Diagram | None:
    """The diagram of a Mermaid text; None for kinds and lines that are not understood."""
    lines = [" ".join(line.split()).removesuffix(";").rstrip() for line in code.splitlines()]
    lines = [line for line in lines if line and not line.startswith("%%")]
    if not lines or len(lines) > LINES_MAX or max(map(len, lines)) > LINE_MAX:
        return None
    reader = _READERS.get(lines[0].split()[0])
    return None if reader is None else reader(lines[1:])
