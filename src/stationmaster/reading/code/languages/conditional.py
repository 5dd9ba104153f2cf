"""Under which conditions a compiler takes a declaration, by the lines of its file."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

ABOVE_MAX, CONDITIONS_MAX = 20, 50
"""Lines above a declaration that are read, and conditions within each other."""
_GO_FILE = re.compile(
    r"_(windows|darwin|linux|freebsd|netbsd|openbsd|dragonfly|solaris|illumos|aix|android|ios|js"
    r"|wasip1|plan9)(?:_[a-z0-9]{2,8})?\.go\Z"
)
_GO_BUILD = re.compile(r"^//go:build [^\n]{1,200}", re.MULTILINE)
_GO_TAG = re.compile(r"(?<![!\w.])[a-z]\w*")
_GO_DEFAULT = re.compile(r"amd64|arm64|arm|wasm|mips\w*|ppc\w*|riscv64|s390x|zos|cgo|gc|go1|unix")
"""Tags that builds may have beside systems without being asked for them."""
_CFG = re.compile(r"#\[cfg\([^\]]{1,300}\)\]")
_DIRECTIVE = re.compile(r"\s*+#\s*+(if|ifdef|ifndef|elif|elseif|else|endif)\b[ \t]*+([^\n]{0,200})")
_REMARK = re.compile(r"/[*/].*")
_GUARD = re.compile(r"#ifndef \w+_H\w*|(?>.*?__cplusplus).*")
_NOT = re.compile(r"(?i)\bnot ?\(|!|\b(?:else|ifndef)\b")
_TEST = re.compile(r"\btest\b")
_WINDOWS = re.compile(r"(?i)win(?:dows|32|64)")
_UNIX = re.compile(r"(?i)unix|linux|posix")
_OTHERS = re.compile(r"(?i)darwin|macos|apple|wasm|bsd|android|\bjs\b")


def of_go(path: str, text: str) -> str:
    """The condition of a file of Go by its first lines or its name; '' for none."""
    named = _GO_FILE.search(path)
    stated = _GO_BUILD.search(text.partition("\npackage ")[0])
    return stated[0] if stated else f"GOOS={named[1]}" if named else ""


def is_asked(condition: str) -> bool:
    """Does a build of Go take a file only if it is asked to, as by `-tags tools`, or none does:
    does each choice of its condition need a tag of the project's own?"""
    choices = condition.removeprefix("//go:build").split("||")
    return all(
        any(not _GO_DEFAULT.fullmatch(tag) and not _GO_FILE.search(f"_{tag}.go") for tag in tags)
        for tags in map(_GO_TAG.findall, choices)
    )


def of_lines(path: str, lines: Sequence[str], wanted: Iterable[int]) -> dict[int, str]:
    """The conditions of what a file declares at some lines, by line."""
    if path.endswith(".rs"):
        stated = {line: " ".join(_attributes(lines, line)) for line in wanted}
        return {line: words for line, words in stated.items() if words}
    return dict(_directives(lines, frozenset(wanted)))


def rank(condition: str) -> int:
    """The order of declarations for one system: for Unix and Linux, for any, for others, for
    tests."""
    is_negated = _NOT.search(condition) is not None
    if _TEST.search(condition) and not is_negated:
        return 3
    if _UNIX.search(condition):
        return 2 if is_negated else 0
    if _WINDOWS.search(condition):
        return 0 if is_negated else 2
    return 2 if _OTHERS.search(condition) and not is_negated else 1


def _attributes(lines: Sequence[str], line: int) -> list[str]:
    """`#[cfg(…)]` right above an item of Rust."""
    above: list[str] = []
    for text in reversed(lines[max(line - 1 - ABOVE_MAX, 0) : line - 1]):
        words = text.strip()
        is_remark = words.startswith("//")
        if not (is_remark or words.startswith("#[") or words.endswith(("]", "(", ","))):
            break
        above.append("" if is_remark else words)
    return _CFG.findall(" ".join(reversed(above)))


def _directives(lines: Sequence[str], wanted: Container[int]) -> Iterator[tuple[int, str]]:
    """`#ifdef` and the like around lines, the innermost first."""
    around: list[str] = []
    for line, text in enumerate(lines, 1):
        if around and line in wanted:
            stated = [it for it in reversed(around) if not _GUARD.fullmatch(it)]
            yield from [(line, " in ".join(stated))] if stated else ()
        if "#" not in text or (match := _DIRECTIVE.match(text)) is None:
            continue
        word, asked = match[1], _REMARK.sub("", match[2]).strip()
        if word == "endif":
            del around[-1:]
        elif word.startswith("el") and around:
            first = around[-1].partition(" of ")[2] or around[-1]
            around[-1] = f"#{word} {asked}".rstrip() + f" of {first}"
        elif len(around) < CONDITIONS_MAX:
            around.append(f"#{word} {asked}")
