"""What the words of a shell command really start: wrappers taken off, inner command lines found."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from stationmaster.catalogue.shell import Options, shell

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_SHELL = shell()


def base_name(word: str) -> str:
    """The name of a program without its folder and `.exe`, in lower case."""
    return re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe")


def unwrapped(words: Sequence[str]) -> list[str]:
    """The words without keywords, assignments and programs that only start another."""
    start = 0
    while start < len(words):
        word = words[start]
        wrapper = _SHELL.wrappers.get(base_name(word))
        if word in _SHELL.keywords or _ASSIGNMENT.match(word):
            start += 1
        elif wrapper is not None:
            start = _behind_options(words, start + 1, wrapper) + wrapper.own_words
        else:
            break
    return list(words[start:])


def inner_line(words: Sequence[str], fed: Sequence[str] = ()) -> str | None:
    """The command line that an unwrapped command passes to a shell, None when it does not.

    `fed` are the here-documents that it reads.
    """
    program = base_name(words[0])
    if program in _SHELL.evaluators:
        return " ".join(words[1:])
    if program in _SHELL.powershells:
        return _of_powershell(words)
    if program == "cmd":
        return _of_cmd(words)
    if program not in _SHELL.shells:
        return None
    is_line, place, options = False, 1, _SHELL.options["shell"]
    while place < len(words) and words[place][:1] in ("-", "+"):
        word = words[place]
        is_line = is_line or "c" in options.flags(word)
        place += 2 if options.take_next(word) else 1
    if place < len(words):
        return words[place] if is_line else None
    return "\n".join(fed) if fed else None


def operands(words: Sequence[str], options: Options) -> Iterator[str]:
    """The words that are neither options nor belong to one."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            yield from words[place + 1 :]
            return
        if word.startswith("-") and word != "-":
            place += 2 if options.take_next(word) else 1
        else:
            yield word
            place += 1


def given_options(words: Sequence[str], options: Options) -> Iterator[tuple[str, str]]:
    """The options with their values; the value is "" where it is not the next word."""
    place = 0
    while place < len(words) and words[place] != "--":
        word = words[place]
        takes_next = word.startswith("-") and options.take_next(word)
        if word.startswith("-"):
            yield word, words[place + 1] if takes_next and place + 1 < len(words) else ""
        place += 2 if takes_next else 1


def _behind_options(words: Sequence[str], start: int, options: Options) -> int:
    while start < len(words) and words[start].startswith("-"):
        if words[start] == "--":
            return start + 1
        start += 2 if options.take_next(words[start]) else 1
    return start


def _of_powershell(words: Sequence[str]) -> str | None:
    for place, word in enumerate(words[1:], start=1):
        name = word.lower().lstrip("-/")
        if word[:1] in "-/" and name and "command".startswith(name):
            return " ".join(words[place + 1 :])
    # Windows PowerShell runs what is no option.
    *options, last = words[1:] or [""]
    is_alone = all(word.startswith("-") for word in options)
    return last if is_alone and " " in last else None


def _of_cmd(words: Sequence[str]) -> str | None:
    for place, word in enumerate(words[1:], start=1):
        if word.lower() in ("/c", "/k"):
            behind = words[place + 1 :]
            # Several words are one command's, and one may be a whole line.
            return shlex.join(behind) if len(behind) > 1 else "".join(behind)
        if not word.startswith("/"):
            break
    return None
