"""The modules that source files import, by the keywords of their languages.

Comments and texts are removed first, so that a line that only mentions a module does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue.repositories.import_lines import Grammar, grammar

_GO_NAME = re.compile(r"[\"`]([^\"`\n]+)[\"`]")


def is_known(path: str) -> bool:
    """Is its language one whose imports can be read?"""
    return grammar(_ending(path)) is not None


def code_of(path: str, text: str) -> str:
    """A source file without its comments, on the same lines."""
    rules = grammar(_ending(path))
    return text if rules is None else _without_comments(text, rules)


def of_text(path: str, text: str) -> Iterator[tuple[str, int]]:
    """The modules that a source file imports and the lines that do, counted from 1."""
    rules = grammar(_ending(path))
    if rules is None:
        return
    if rules.language != "go":
        ends = [match.end() for match in rules.imports.finditer(text)]
        # What follows the last that looks like one is not read: imports are on top.
        text = text[: ends[-1]] if ends else ""
    code = _without_comments(text, rules)
    line, at = 1, 0
    for match in rules.imports.finditer(code):
        line += code.count("\n", at, match.start())
        at = match.start()
        if match.lastgroup is None and rules.language != "rust":
            before = code[code.rfind("\n", 0, at) + 1 : at]
            if before.strip(" \t;"):
                continue
        for name, offset in _names(rules.language, match):
            yield name, line + code.count("\n", at, offset)


def _without_comments(text: str, rules: Grammar) -> str:
    """The same lines, with what is a comment left out."""
    return rules.comments.sub(lambda match: match["keep"] or "\n" * match[0].count("\n"), text)


def _names(language: str, match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The imported names with their places in the code."""
    start = match.start() + match[0].startswith("\n")
    if language == "python":
        yield from ((name, start) for name in _python(match))
    elif language == "go":
        block = 1 if match[1] else 2
        for name in _GO_NAME.finditer(match[block]):
            yield name[1], match.start(block) + name.start()
    elif language == "rust":
        names = _rust(match[1]) if match[1] else (match[2] or match[3],)
        yield from ((name, start) for name in names)
    elif language == "php" and match[2]:
        for part in match[2].split(","):
            yield f"{match[1]}\\{part.strip().partition(' ')[0]}", start
    else:
        yield next(name for name in match.groups() if name), start


def _python(match: re.Match[str]) -> Iterator[str]:
    if match[1]:
        yield match[1]
        for part in re.findall(r"\w+(?:\s+as\s+\w+)?", match[2]):
            yield f"{match[1]}.{part.split()[0]}"
    else:
        for part in match[3].split(","):
            if words := part.split():
                yield words[0]


def _rust(tree: str) -> Iterator[str]:
    """`a::{b, c::d}` as `a::b`, `a::c::d`."""
    above: list[str] = []
    prefix = ""
    for word in re.findall(r"[\w:*]+|[{},]", re.sub(r"(?<!\s)\s++as\s+\w+", "", tree)):
        if word == "{":
            above.append(prefix)
        elif word == "}":
            prefix = above.pop() if above else ""
        elif word == ",":
            prefix = above[-1] if above else ""
        else:
            prefix += word
            if not prefix.endswith("::"):
                yield prefix


def _ending(path: str) -> str:
    return path[path.rfind(".") + 1 :].lower()
