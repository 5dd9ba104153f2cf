"""How programs take their options, and which of them make commits and requests: `shell.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Options(Row, frozen=True):
    """Which options of a program take the next word: letters, and long names. `own_words`: those
    before the program that it starts."""

    letters: str = ""
    names: frozenset[str] = frozenset()
    own_words: int = 0

    def take_next(self, word: str) -> bool:
        """Does the word after this one belong to it?"""
        if word.startswith("--"):
            return word in self.names
        for place, letter in enumerate(word[1:], start=2):
            if letter in self.letters:
                return place == len(word)
        return word in self.names

    def flags(self, word: str) -> str:
        """The letters of a short option that are options themselves, as `am` of `-ammessage`."""
        if word.startswith("--"):
            return ""
        for place, letter in enumerate(word):
            if letter in self.letters:
                return word[1 : place + 1]
        return word[1:]


class Shell(Row, frozen=True):
    """`request_commands` are the words that begin a command which makes a pull request, and
    `request_tools` the ends of the names of MCP tools that do. With an option of
    `not_a_new_commit` or `not_a_request` nothing is made."""

    keywords: frozenset[str]
    shells: frozenset[str]
    powershells: frozenset[str]
    evaluators: frozenset[str]
    git_answers: frozenset[str]
    not_a_new_commit: tuple[str, ...]
    request_commands: frozenset[str]
    not_a_request: frozenset[str]
    api_paths: dict[str, str]
    request_tools: tuple[str, ...]
    options: dict[str, Options]
    wrappers: dict[str, Options]


shell = lazy_table("shell", Shell)
"""All of it."""
