"""Pages of a model as Markdown: its words are text, citations are computed, sections name it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.material import Slice
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.prose.model import PLAN, Record, Sentence, ids_of
from stationmaster.wiki.prose.planning import PlannedPage
from stationmaster.wiki.text.inline import Md, Place, code, counted, md, text
from stationmaster.wiki.text.page import citation, relative

FOLDER = "explained"
MARK = "*Written by a model.*"
"""Before every section, so that passages that are read separately have it, too."""
_TICKED = re.compile(r"`([^`]{1,200})`")
_FIRST_SECTION = re.compile(r"^## ", re.MULTILINE)


class Section(NamedTuple):
    """A section: the sentences that survived, how many did not, the slices by the first part of
    what they cite, and why there are none."""

    title: str
    sentences: tuple[Sentence, ...]
    dropped: Mapping[str, int]
    read: Mapping[str, Slice]
    fault: str = ""


def joined(
    pages: Sequence[Written],
    answers: Sequence[tuple[PlannedPage, Sequence[Section]]],
    model: str,
    missing: str,
) -> tuple[Written, ...]:
    """The pages of a wiki, and behind those of concepts what a model wrote, with links to it on the
    first page, which also reports what is `missing`, '' for nothing."""
    written: dict[str, Written] = {}
    for planned, sections in answers:
        key = f"{FOLDER}/{slug(planned.title)}"
        written.setdefault(key, _page(key, planned, sections, model))
    at = max((at for at, page in enumerate(pages) if page.key.startswith("concepts/")), default=0)
    whole = [*pages[: at + 1], *written.values(), *pages[at + 1 :]]
    if not written and not missing:
        return tuple(whole)
    return tuple(_linked(page, written, missing) if page.key == "index" else page for page in whole)


def what_is_missing(failed: Sequence[Record]) -> str:
    """Which pages are missing or incomplete, and why; '' where none failed."""
    if not failed:
        return ""
    pages = sum(record.page != PLAN for record in failed)
    are = "that was planned is" if pages == 1 else "that were planned are"
    words = [f"{counted(pages, 'page')} {are} missing or incomplete"] if pages else []
    if pages < len(failed):
        words.append("pages could not be planned")
    reasons = ", ".join(dict.fromkeys(record.reason for record in failed if record.reason))
    sentence = "; ".join(words)
    return f"{sentence[:1].upper()}{sentence[1:]} ({reasons})."


def _page(key: str, planned: PlannedPage, sections: Sequence[Section], model: str) -> Written:
    accepted = sum(len(section.sentences) for section in sections)
    dropped = sum(sum(section.dropped.values()) for section in sections)
    failed = sum(bool(section.fault) for section in sections)
    words = [md("Written by the model {} from the lines that each sentence cites.", code(model))]
    if dropped:
        words.append(md(
            "Of {}, {} were dropped because their lines do not support them.",
            counted(accepted + dropped, "sentence"), dropped,
        ))  # fmt: skip
    if failed:
        words.append(md("{} could not be written.", counted(failed, "section")))
    blocks = [f"# {text(planned.title)}", f"*{' '.join(words)}*"]
    for part in sections:
        if part.sentences:
            blocks += [f"## {text(part.title)}", MARK]
            blocks += _paragraphs(part)
    first = next(section.sentences[0].text.strip() for section in sections if section.sentences)
    description = f"A model writes: {_shown(first)}"
    return Written(key, planned.title, description, "\n\n".join(blocks) + "\n")


def _paragraphs(section: Section) -> list[str]:
    """Groups of four sentences."""
    sentences = [
        f"{_shown(sentence.text.strip())}"
        f" ({', '.join(map(citation, _places(sentence, section.read)))})"
        for sentence in section.sentences
    ]
    return [" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4)]


def _places(sentence: Sentence, read: Mapping[str, Slice]) -> list[Place]:
    """The lines that a sentence cites, those in a row as one place."""
    cited = [key.rpartition(".") for cite in sentence.cites for key in ids_of(cite)]
    lines = sorted(
        {
            (read[group].path, read[group].line + int(number) - 1)
            for group, _, number in cited
            if group in read and 0 < int(number) <= len(read[group].lines)
        }
    )
    places: list[Place] = []
    for path, line in lines:
        last = places[-1] if places else None
        if last is not None and last.path == path and (last.end or 0) + 1 == line:
            places[-1] = last._replace(end=line)
        else:
            places.append(Place(path, line, line))
    return places


def _linked(index: Written, written: Mapping[str, Written], missing: str) -> Written:
    lines = [f"- [{text(page.title)}]({relative(index.key, key)})" for key, page in written.items()]
    block = "## Explained by a model\n\n"
    if lines:
        block += f"{MARK}\n\n" + "\n".join(lines) + "\n\n"
    if missing:
        block += f"{missing}\n\n"
    match = _FIRST_SECTION.search(index.body)
    at = match.start() if match else len(index.body)
    space = "" if match else "\n"
    body = index.body[:at] + space + (block if match else block.rstrip("\n") + "\n")
    return msgspec.structs.replace(index, body=body + index.body[at:])


def _shown(sentence: str) -> Md:
    """Plain text and code: nothing that a model writes is Markdown."""
    parts = _TICKED.split(sentence)
    shown = "".join(code(part) if at % 2 else _text(part) for at, part in enumerate(parts))
    return Md(shown.strip())


def _text(words: str) -> str:
    """Escaped, with the spaces at its ends that code next to it needs."""
    before = " " if words[:1].isspace() else ""
    after = " " if words[-1:].isspace() and words.strip() else ""
    return f"{before}{text(words)}{after}"
