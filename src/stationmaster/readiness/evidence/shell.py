"""Which programs command lines run; a line of a loop or a condition counts as run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from stationmaster.agents.shell.commands import started
from stationmaster.catalogue import lists

Words = tuple[str, ...]

_MARKS = "@-+"
"""How make and other runners of tasks mark a line."""
_COMPARING = frozenset({"==", "!=", "=~", "]]", "]"})
_TEST_TASK = re.compile(r":?(?:test|tests|allTests|jvmTest|unitTest|check)")
_VARIABLE = re.compile(r"^\$(?:\{\w{1,60}\}|\(\w{1,60}\))(?=[\w/.])")
"""Before the name of a program: its folder."""
_ENDING = re.compile(r"(?:\.(?:sh|exe|cmd|bat|phar|py|js|mjs))?(?:@[\w.^~-]{1,40})?$")


@lru_cache(maxsize=8192)
def simple(text: str) -> tuple[Words, ...]:
    """The words of every command that a text starts, without what precedes programs."""
    commands = ((command.words[0].lstrip(_MARKS), *command.words[1:]) for command in started(text))
    return tuple(words for words in commands if words[0])


def runs(words: Words, phrase: str) -> bool:
    """Does a simple command run what a phrase names, itself or through a runner of tools?"""
    return words[0] not in lists.words("no-tool") and not fetches(words) and matches(words, phrase)


def matches(words: Words, phrase: str) -> bool:
    """Are the words of a phrase in a command, one behind the other?

    A phrase is a program and the words behind it; flags between them do not matter. Words of the
    phrase that begin with `-` are flags that must be there, with any value.
    """
    wanted, flags = _parts(phrase)
    if any(not any(word.startswith(flag) for word in words) for flag in flags):
        return False
    plain_words = plain(words)
    size = len(wanted)
    return any(
        plain_words[at] == wanted[0] and plain_words[at : at + size] == wanted
        for at in range(len(plain_words) - size + 1)
    )


def runs_any(words: Words, phrases: Sequence[str]) -> bool:
    """True where a simple command runs one of the phrases, as `runs` decides for one."""
    return (
        words[0] not in lists.words("no-tool")
        and not fetches(words)
        and matches_any(words, phrases)
    )


def matches_any(words: Words, phrases: Sequence[str]) -> bool:
    """Does a command contain one of the phrases? Those whose first word it has not cost nothing."""
    by_head = _by_head(tuple(phrases))
    return any(
        matches(words, phrase)
        for word in dict.fromkeys(plain(words))
        for phrase in by_head.get(word, ())
    )


def head(phrase: str) -> str:
    """The word that a phrase begins with, as `plain` gives words."""
    return _parts(phrase)[0][0]


def program(words: Words) -> str:
    """The name of the program, without its folder, ending and version."""
    return _bare(words[0])


def is_condition(words: Words) -> bool:
    """Does it only compare, list or move files, whatever the files are called?"""
    return program(words) in lists.words("plumbing") or not _COMPARING.isdisjoint(words)


@lru_cache(maxsize=8192)
def leaves_tests_out(words: Words) -> bool:
    """Does a command exclude the tests, as `gradle build -x test` does, or only
    list or compile them?"""
    for before, word in zip(("", *words), words, strict=False):
        if before in ("-x", "--exclude-task") and _TEST_TASK.fullmatch(word):
            return True
        if lists.pattern("no-tests").fullmatch(word):
            return True
    return False


def fetches(words: Words) -> bool:
    """Does it install something by name, rather than run it?"""
    return program(words) in lists.words("package-manager") and not lists.words("fetch").isdisjoint(
        words[1:5]
    )


@lru_cache(maxsize=1024)
def _by_head(phrases: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    by_head: dict[str, list[str]] = {}
    for phrase in phrases:
        by_head.setdefault(head(phrase), []).append(phrase)
    return by_head


@lru_cache(maxsize=4096)
def _parts(phrase: str) -> tuple[Words, Words]:
    words = phrase.split()
    flags = tuple(word for word in words if word.startswith("-"))
    return tuple(map(_bare, (word for word in words if not word.startswith("-")))), flags


@lru_cache(maxsize=8192)
def plain(words: Words) -> Words:
    """Without flags, toolchains and folders of programs."""
    kept = (
        word
        for before, word in zip(("", *words), words, strict=False)
        if not word.startswith(("-", "+")) and before not in lists.words("valued-flag")
    )
    return tuple(map(_bare, kept))


@lru_cache(maxsize=65536)
def _bare(word: str) -> str:
    word = _VARIABLE.sub("", word)
    return _ENDING.sub("", word.rpartition("/")[2] or word)
