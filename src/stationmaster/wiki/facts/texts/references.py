"""References of documents, shown as the titles and words that they refer to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.documents import chosen, plain, title_of

_LABEL = re.compile(r"^(?:\.\. _`?([^:`\n]{1,120})`?:|\(([\w .-]{1,120})\)=)[ \t]*$", re.MULTILINE)
_TARGET = re.compile(r"^\.\. _`?([^:`\n]{1,120})`?:[ \t]+\S", re.MULTILINE)
_ROLE = re.compile(
    r"(?::(?P<role>ref|doc|numref|term):|\{(?P<myst>ref|doc|numref|term)\})"
    r"`[~!]?(?P<words>[^`<>]{0,200}?)\s*(?:<(?P<target>[^`<>]{1,200})>)?`"
)
_REFERENCE = re.compile(r"(?<![\w`:/.])([A-Za-z0-9](?:[\w.+-]{0,80}[A-Za-z0-9+])?)__?(?![\w`])")
_SEE = re.compile(
    r"(?i:\b(?:see|refer to|(?:described|documented|explained) in))\b[^.\n\[\]]{0,60}"
    r"\[(?P<words>[^\[\]\n]{1,120})\]"
    r"\((?P<target>[\w./-]{1,200}\.(?:mdx?|rst|adoc))(?:#[\w.-]{0,100})?\)"
)
_ABOVE_MAX = 5
"""Lines between a label and its heading."""
_ENDINGS = (".rst", ".md")


def resolved(facts: Facts, path: str, text: str) -> str:
    """Words of a document, or of a comment in code, with titles in place of its references."""
    text = _ROLE.sub(lambda match: _shown(facts, path, match), text)
    text = _SEE.sub(lambda match: _with_place(facts, path, match), text)
    if path.endswith(".rst") and (targets := _targets(facts, path)):
        text = _REFERENCE.sub(lambda match: match[match[1].lower() in targets], text)
    return text


def _shown(facts: Facts, path: str, match: re.Match[str]) -> str:
    words, target = match["words"].strip(), match["target"]
    role = match["role"] or match["myst"]
    if target or role == "term":
        return words
    if role != "doc":
        return _title(facts, words) or words
    return _title(facts, f"/{_whole(path, words)}") or words.rpartition("/")[2]


def _with_place(facts: Facts, path: str, match: re.Match[str]) -> str:
    """A link to another document that readers are sent to, with the path of that document."""
    whole = _whole(path, match["target"])
    is_named = match["words"].strip("`").endswith(whole.rpartition("/")[2])
    return match[0] if is_named or not _is_there(facts, whole) else f"{match[0]} (`{whole}`)"


def _whole(path: str, target: str) -> str:
    """The path of the target of a reference in a document at a path."""
    folder = "" if target.startswith("/") else f"{path.rpartition('/')[0]}/"
    steps: list[str] = []
    for step in f"{folder}{target}".split("/"):
        steps = steps[:-1] if step == ".." else [*steps, *([step] if step not in ("", ".") else [])]
    return "/".join(steps)


@query
def _targets(facts: Facts, path: str) -> frozenset[str]:
    """What a document has the addresses of, in lower case."""
    return frozenset(it.lower() for it in _TARGET.findall(facts.tree.text(path)))


@query
def _is_there(facts: Facts, path: str) -> bool:
    """Is there such a file?"""
    return path in facts.records


@query
def _title(facts: Facts, reference: str) -> str:
    """What a reference refers to, '' for what is none."""
    return _titles(facts).get(reference, "")


@query
def _titles(facts: Facts) -> Mapping[str, str]:
    """Titles of sections by their labels, and of documents by `/` and their paths without an
    ending. For other questions."""
    titles: dict[str, str] = {}
    for document in chosen(facts):
        if not document.path.endswith(_ENDINGS):
            continue
        text = document.text
        titles["/" + document.path.rpartition(".")[0]] = title_of(document)
        for match in _LABEL.finditer(text):
            line = text.count("\n", 0, match.end()) + 1
            below = (it for it in document.headings if line < it.line <= line + _ABOVE_MAX)
            if heading := next(below, None):
                titles.setdefault((match[1] or match[2]).strip(), plain(heading.text))
    return titles
