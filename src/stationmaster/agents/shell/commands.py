"""Commits and pull requests in shell commands, and the programs a command starts.

Of an agent's command nothing leaves this module but the kinds of things it creates, a commit's id,
a pull request's address and a program's base name. What counts, and what does not, is written down
in docs/git.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

import msgspec

from stationmaster.agents.shell.programs import (
    base_name,
    given_options,
    inner_line,
    operands,
    unwrapped,
)
from stationmaster.agents.shell.words import Simple, split
from stationmaster.catalogue.shell import shell

CreationKind = Literal["git_commit", "git_pull_request"]

_TEXT_MAX = 65_536
_NESTING_MAX = 8
_CREATIONS_MAX = 50
_HINT = re.compile(r"commit|\b[pm]r\b|pull-request|pulls\b|merge_requests?\b", re.IGNORECASE)
_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,64})\] ", re.MULTILINE | re.ASCII)
_REQUEST_URL = re.compile(
    r"https?://[\w.:-]{1,255}/[\w./~%-]{1,180}/"
    r"(?:pull|pulls|merge_requests|pullrequest|pull-requests)/\d{1,9}",
    re.ASCII,
)
_API = re.compile(r"https?://(?:api\.|[^/]*/api/)")
_OLD_REQUEST = re.compile(
    rf"already exists[^\n]{{0,200}}\n?\s{{0,20}}({_REQUEST_URL.pattern})", re.ASCII
)
_SHA = re.compile(r"[0-9a-f]{7,64}", re.ASCII)

_SHELL = shell()
_OPTIONS = _SHELL.options


class Creation(msgspec.Struct, frozen=True, array_like=True):
    """One commit or pull request a command line tries to make.

    `certain`: the success of the whole line proves it. `quiet`: its output names nothing.
    """

    kind: CreationKind
    certain: bool
    quiet: bool = False


class Created(msgspec.Struct, frozen=True):
    """One that was made: its position among the line's creations, and what its output named."""

    kind: CreationKind
    ordinal: int
    sha: str | None = None
    url: str | None = None


def creations(command: str | Sequence[str]) -> tuple[Creation, ...]:
    """What a command line, or the words of one command, would create, in order."""
    if isinstance(command, str):
        text = command[:_TEXT_MAX]
        created = _of_line(text, True, 0) if _HINT.search(text) else iter(())
    else:
        words = [word[:_TEXT_MAX] for word in command if isinstance(word, str)]
        is_hinted = any(map(_HINT.search, words))
        created = _of_words(words, (), True, 0) if is_hinted else iter(())
    return tuple(islice(created, _CREATIONS_MAX))


def made(
    creations: Sequence[Creation], success: bool | None, output: str | None
) -> Iterator[Created]:
    """Those of the wanted creations that happened.

    `success` is that of the whole line, `output` its text when the source has it. A success proves
    the certain ones; otherwise the output has to name the commit or request, and without output a
    line that did not fail counts as successful.
    """
    if not creations:
        return
    text = _ends(output or "")
    shas = iter(_COMMIT_LINE.findall(text))
    old = set(_OLD_REQUEST.findall(text))
    named = dict.fromkeys(_REQUEST_URL.findall(text))
    urls = (url for url in named if url not in old and not _API.match(url))
    for ordinal, creation in enumerate(creations):
        is_commit = creation.kind == "git_commit"
        sha = next(shas, None) if is_commit and not creation.quiet else None
        url = None if is_commit else next(urls, None)
        proven = sha is not None or url is not None
        may_be_done = success is not False and (
            creation.certain or creation.quiet or output is None
        )
        if may_be_done or proven:
            yield Created(creation.kind, ordinal, sha, url)


def of_tool(mcp_tool: str | None) -> tuple[Creation, ...]:
    """What an MCP tool of this name creates; nothing for None, which is another tool."""
    if mcp_tool is None:
        return ()
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", mcp_tool[:200]).lower()
    is_request = f"_{words}".endswith(tuple(f"_{tool}" for tool in _SHELL.request_tools))
    return (Creation("git_pull_request", True),) if is_request else ()


def commit_id(value: object) -> str | None:
    """A commit's id when the value is one, else None."""
    return value if isinstance(value, str) and _SHA.fullmatch(value) else None


def request_url(value: object) -> str | None:
    """The address of a pull request when the value is one, else None."""
    return value if isinstance(value, str) and _REQUEST_URL.fullmatch(value) else None


def program(command: str) -> str | None:
    """The base name of the program a command line starts, without its arguments."""
    for simple in split(command[:_TEXT_MAX]):
        words = unwrapped(simple.words)
        if words:
            base = re.split(r"[/\\]", words[0])[-1][:200]
            # Several words in quotes are no name, and could be anything.
            return base if base and not re.search(r"\s", base) else None
    return None


class Started(NamedTuple):
    """A command of a script: its words, and whether it reads another one's output."""

    words: tuple[str, ...]
    is_piped: bool


def started(script: str, depth: int = 0) -> Iterator[Started]:
    """The commands that a script starts, without what wraps them; those of inner shells, too."""
    is_piped = False
    for simple in split(script[:_TEXT_MAX]):
        words = unwrapped(simple.words)
        inner = inner_line(words, simple.fed) if words and depth < _NESTING_MAX else None
        if inner is not None:
            yield from started(inner, depth + 1)
        elif words:
            yield Started(tuple(words), is_piped)
        is_piped = simple.joined_by == "|"


def _of_line(text: str, certain: bool, depth: int) -> Iterator[Creation]:
    commands = split(text)
    for simple, is_proven in zip(commands, _proven(commands), strict=True):
        yield from _of_words(simple.words, simple.fed, certain and is_proven, depth)


def _proven(commands: Sequence[Simple]) -> list[bool]:
    """Of which commands does the exit code 0 of the whole line prove success?

    Of those that all others follow by `&&`, unless they are only reached when another fails.
    """
    # What runs in a substitution takes no part in the line.
    own = [place for place, simple in enumerate(commands) if not simple.is_nested]
    joints = [commands[place].joined_by for place in own]
    proven = [False] * len(commands)
    for number in range(len(own) - 1, -1, -1):
        is_last = number == len(own) - 1
        if joints[number] == "&" or not (is_last or joints[number] == "&&"):
            break
        proven[own[number]] = number == 0 or joints[number - 1] != "||"
    return proven


def _of_words(
    words: Sequence[str], fed: Sequence[str], certain: bool, depth: int
) -> Iterator[Creation]:
    words = unwrapped(words)
    if not words or depth > _NESTING_MAX:
        return
    inner = inner_line(words, fed)
    if inner is not None:
        yield from _of_line(inner[:_TEXT_MAX], certain, depth + 1)
        return
    name = base_name(words[0])
    if name in ("git", "hub"):
        yield from _of_git(name, words[1:], certain)
    elif _is_request(name, words[1:]):
        yield Creation("git_pull_request", certain)


def _of_git(name: str, words: Sequence[str], certain: bool) -> Iterator[Creation]:
    place = 0
    while place < len(words) and words[place].startswith("-"):
        if words[place] in _SHELL.git_answers:
            return
        place += 2 if _OPTIONS["git"].take_next(words[place]) else 1
    arguments = words[place + 1 :]
    subcommand = words[place] if place < len(words) else ""
    if subcommand == "commit":
        options = [word for word, _ in given_options(arguments, _OPTIONS["commit"])]
        if not any(map(_is_no_new_commit, options)):
            flags = _OPTIONS["commit"].flags
            is_quiet = any(word == "--quiet" or "q" in flags(word) for word in options)
            yield Creation("git_commit", certain, is_quiet)
    elif subcommand == "push":
        if _opens_request(arguments):
            yield Creation("git_pull_request", certain)
    elif (name, subcommand) == ("hub", "pull-request") and _is_made(arguments, ""):
        yield Creation("git_pull_request", certain)


def _is_no_new_commit(option: str) -> bool:
    # git takes a long option by its beginning where that is of one option alone.
    name = option.split("=", 1)[0]
    is_meant = name.startswith("--") and len(name) >= 4
    return option == "-h" or (
        is_meant and any(one.startswith(name) for one in _SHELL.not_a_new_commit)
    )


def _opens_request(arguments: Sequence[str]) -> bool:
    options = list(given_options(arguments, _OPTIONS["push"]))
    if any(word == "--dry-run" or "n" in _OPTIONS["push"].flags(word) for word, _ in options):
        return False
    values = (
        value or word.removeprefix("--push-option=").removeprefix("-o") for word, value in options
    )
    return any(value.startswith("merge_request.create") for value in values)


def _is_request(name: str, words: Sequence[str]) -> bool:
    called = (name, *islice(operands(words, _OPTIONS["host"]), 3))
    if called[1:2] == ("api",) and name in _SHELL.api_paths:
        return _posts(words, _SHELL.api_paths[name])
    commands = _SHELL.request_commands
    is_known = " ".join(called[:3]) in commands or " ".join(called) in commands
    return is_known and _is_made(words)


def _is_made(words: Sequence[str], against: str = "hw") -> bool:
    """Is a request made, and not only shown or written in a browser? Each of the letters `against`
    means that it is not."""
    return not any(
        word in _SHELL.not_a_request or set(against) & set(_OPTIONS["request"].flags(word))
        for word, _ in given_options(words, _OPTIONS["request"])
    )


def _posts(words: Sequence[str], path: str) -> bool:
    """Is a call of an API one that makes something at an address with that end?"""
    method = ""
    for word, value in given_options(words, _OPTIONS["api"]):
        name = word.split("=", 1)[0] if word.startswith("--") else word[:2]
        if name in ("-X", "--method"):
            named = value or word.removeprefix("--method").removeprefix("-X")
            method = named.removeprefix("=").upper()
        elif name in ("-f", "-F", "--field", "--raw-field", "--input"):
            method = method or "POST"
    address = next(islice(operands(words, _OPTIONS["api"]), 1, None), "")
    return method == "POST" and address.split("?", 1)[0].endswith(path)


def _ends(text: str) -> str:
    """A long text without its middle."""
    half = _TEXT_MAX // 2
    return text if len(text) <= _TEXT_MAX else f"{text[:half]}\n{text[-half:]}"
