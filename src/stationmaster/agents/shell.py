"""Commits and pull requests in shell commands, and the programs a command starts.

Of an agent's command nothing leaves this module but the kinds of things it creates, a commit's id,
a pull request's address and a program's base name. Rules: canonical mapping, section 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from stationmaster.agents.shell_words import Simple, split

CreationKind = Literal["git_commit", "git_pull_request"]

_TEXT_MAX = 65_536
_NESTING_MAX = 8
_HINTS = ("commit", " pr", " mr", "pull-request", "/pulls", "merge_request")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ", re.MULTILINE | re.ASCII)
_REQUEST_URL = re.compile(
    r"https?://[\w.:-]+/[\w./~%-]{1,180}/"
    r"(?:pull|pulls|merge_requests|pullrequest|pull-requests)/\d{1,9}",
    re.ASCII,
)
_SHA = re.compile(r"[0-9a-f]{7,64}", re.ASCII)

_KEYWORDS = frozenset(
    {"{", "!", "then", "do", "else", "elif", "if", "while", "until", "time", "command", "exec"}
    | {"nohup", "builtin", "noglob"}
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_POWERSHELLS = frozenset({"powershell", "powershell.exe", "pwsh", "pwsh.exe"})
_GIT_OPTIONS_WITH_VALUE = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
)
_NOT_A_NEW_COMMIT = ("--dry-run", "--amend", "--fixup", "--squash", "--help", "-h")
_REQUEST_COMMANDS = (
    ("gh", "pr", "create"),
    ("gh", "pr", "new"),
    ("glab", "mr", "create"),
    ("glab", "mr", "new"),
    ("hub", "pull-request"),
    ("az", "repos", "pr", "create"),
    ("tea", "pr", "create"),
    ("tea", "pulls", "create"),
    ("bb", "pr", "create"),
)
_REQUEST_TOOLS = frozenset(
    {"create_pull_request", "create_merge_request", "pull_request_create", "merge_request_create"}
)


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
        if not any(hint in command for hint in _HINTS):
            return ()
        return tuple(_of_line(command[:_TEXT_MAX], True, 0))
    words = [word[:_TEXT_MAX] for word in command if isinstance(word, str)]
    if not any(hint in f" {word}" for word in words for hint in _HINTS):
        return ()
    return tuple(_of_words(words, True, 0))


def made(wanted: Sequence[Creation], success: bool | None, output: str | None) -> Iterator[Created]:
    """Those of the wanted creations that happened.

    `success` is that of the whole line, `output` its text when the source has it. A success proves
    the certain ones; otherwise the output has to name the commit or request, and without output a
    line that did not fail is believed.
    """
    text = output[:_TEXT_MAX] if output is not None else ""
    shas = iter(_COMMIT_LINE.findall(text))
    urls = iter(dict.fromkeys(_REQUEST_URL.findall(text)))
    for ordinal, creation in enumerate(wanted):
        is_commit = creation.kind == "git_commit"
        sha = next(shas, None) if is_commit and not creation.quiet else None
        url = None if is_commit else next(urls, None)
        proven = sha is not None or url is not None
        believed = success is not False and (creation.certain or creation.quiet or output is None)
        if believed or proven:
            yield Created(creation.kind, ordinal, sha, url)


def is_request_tool(mcp_tool: str) -> bool:
    """Does an MCP tool of this name create a pull request?"""
    return mcp_tool in _REQUEST_TOOLS


def commit_id(value: object) -> str | None:
    """A commit's id when the value is one, else None."""
    return value if isinstance(value, str) and _SHA.fullmatch(value) else None


def request_url(value: object) -> str | None:
    """The address of a pull request when the value is one, else None."""
    return value if isinstance(value, str) and _REQUEST_URL.fullmatch(value) else None


def program(command: str) -> str | None:
    """The base name of the program a command line starts, without its arguments."""
    for simple in split(command[:_TEXT_MAX]):
        words = _unwrapped(list(simple.words))
        if words:
            base = re.split(r"[/\\]", words[0])[-1][:200]
            # Several words in quotes are no name, and could be anything.
            return base if base and not re.search(r"\s", base) else None
    return None


class Started(NamedTuple):
    """A command of a script: its words, and whether another one's output goes into it."""

    words: tuple[str, ...]
    is_piped: bool


def started(script: str, depth: int = 0) -> Iterator[Started]:
    """The commands that a script starts, without what wraps them; those of inner shells, too."""
    is_piped = False
    for simple in split(script[:_TEXT_MAX]):
        words = _unwrapped(list(simple.words))
        inner = _inner_line(words) if words and depth < _NESTING_MAX else None
        if inner is not None:
            yield from started(inner, depth + 1)
        elif words:
            yield Started(tuple(words), is_piped)
        is_piped = simple.joined_by == "|"


def _of_line(text: str, certain: bool, depth: int) -> Iterator[Creation]:
    commands = split(text)
    for position, simple in enumerate(commands):
        proven = certain and _is_proven(commands[position:])
        yield from _of_words(list(simple.words), proven, depth)


def _is_proven(rest: Sequence[Simple]) -> bool:
    """Does the exit code of the whole line say that the first of these succeeded?"""
    return all(simple.joined_by == "&&" for simple in rest[:-1]) and not rest[0].is_nested


def _of_words(words: list[str], certain: bool, depth: int) -> Iterator[Creation]:
    words = _unwrapped(words)
    if not words or depth > _NESTING_MAX:
        return
    inner = _inner_line(words)
    if inner is not None:
        yield from _of_line(inner, certain, depth + 1)
        return
    program_name = re.split(r"[/\\]", words[0])[-1].removesuffix(".exe")
    if program_name == "git":
        yield from _of_git(words[1:], certain)
    elif _is_request(program_name, words):
        yield Creation("git_pull_request", certain)


def _unwrapped(words: list[str]) -> list[str]:
    start = 0
    while start < len(words):
        word = words[start]
        if word in _KEYWORDS or _ASSIGNMENT.match(word):
            start += 1
        elif word in ("env", "sudo", "timeout", "nice", "xvfb-run"):
            start += 1
            while start < len(words) and _is_wrapper_argument(words[start]):
                start += 1
        else:
            break
    return words[start:]


def _is_wrapper_argument(word: str) -> bool:
    return word.startswith("-") or word[:1].isdigit() or _ASSIGNMENT.match(word) is not None


def _inner_line(words: list[str]) -> str | None:
    shell = re.split(r"[/\\]", words[0])[-1].lower()
    if shell in _SHELLS:
        for index, word in enumerate(words[1:-1], start=1):
            if not word.startswith("-"):
                return None
            if not word.startswith("--") and word.endswith("c"):
                return words[index + 1]
    if shell in ("cmd", "cmd.exe") and len(words) > 2 and words[1].lower() == "/c":
        return " ".join(words[2:])
    if shell in _POWERSHELLS:
        for index, word in enumerate(words[1:-1], start=1):
            if word.lower() in ("-command", "-c"):
                return " ".join(words[index + 1 :])
    return None


def _of_git(words: list[str], certain: bool) -> Iterator[Creation]:
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in _GIT_OPTIONS_WITH_VALUE else 1
    arguments = words[index + 1 :]
    subcommand = words[index] if index < len(words) else ""
    if subcommand == "commit" and not _has_option(arguments, _NOT_A_NEW_COMMIT):
        yield Creation("git_commit", certain, _is_quiet(arguments))
    elif subcommand == "push" and any("merge_request.create" in word for word in arguments):
        yield Creation("git_pull_request", certain)


def _has_option(arguments: list[str], options: tuple[str, ...]) -> bool:
    return any(word.split("=", 1)[0] in options for word in _options(arguments))


def _options(arguments: list[str]) -> Iterator[str]:
    for word in arguments:
        if word == "--":
            return
        yield word


def _is_quiet(arguments: list[str]) -> bool:
    return any(
        word == "--quiet" or (word[:1] == "-" and word[1:2] != "-" and "q" in word[:4])
        for word in _options(arguments)
    )


def _is_request(program_name: str, words: list[str]) -> bool:
    called = (program_name, *(word for word in words[1:] if not word.startswith("-")))
    if program_name == "gh" and called[1:2] == ("api",):
        return any(word.endswith("/pulls") for word in words) and (
            any(word in ("POST", "-XPOST", "--method=POST") for word in words)
            or any(word in ("-f", "-F", "--field", "--raw-field", "--input") for word in words)
        )
    if not any(called[: len(known)] == known for known in _REQUEST_COMMANDS):
        return False
    return not _has_option(words[1:], ("--dry-run", "--help", "-h", "--web", "-w"))
