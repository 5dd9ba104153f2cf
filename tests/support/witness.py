"""What a server says while it runs: every answer, every log line, every command line of a child."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psutil

from stationmaster import logs
from tests.support.servers import Server

PART = 20
"""A secret is found by its last characters: its first may be shown, as a hint."""


class Witness:
    """Sends requests and remembers what came back, and which secrets were told in which answer."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.secrets: dict[str, str] = {}
        self.logged: list[str] = []
        self.commands: set[str] = set()
        self._answers: list[tuple[str, str]] = []
        self._told_in: dict[str, int] = {}

    def ask(self, key: str | None, method: str, path: str, **more: Any) -> httpx.Response:
        """One request with a key; whatever comes back is remembered."""
        with self.server.client(key) as client:
            answer = client.request(method, path, **more)
        self._answers.append((f"{method} {path}", f"{answer.headers}\n{answer.text}"))
        return answer

    def told(self, name: str, secret: str) -> str:
        """A secret that the last answer told, as it may this once."""
        self.secrets[name] = secret
        self._told_in[name] = len(self._answers) - 1
        return secret

    def kept(self, name: str, secret: str) -> str:
        """A secret of our own choice, to be sent and never seen again."""
        self.secrets[name] = secret
        return secret

    def answers_with_secrets(self) -> list[str]:
        """Which secret is in which answer, but for the one answer that told it."""
        return [
            f"{name} in {operation}"
            for name, secret in self.secrets.items()
            for number, (operation, text) in enumerate(self._answers)
            if secret[-PART:] in text and self._told_in.get(name) != number
        ]

    def found_in(self, text: str) -> list[str]:
        return [name for name, secret in self.secrets.items() if secret[-PART:] in text]


@contextmanager
def watched(server: Server) -> Iterator[Witness]:
    """Watch this process: its log at the level of every detail, and its children."""
    witness = Witness(server)
    handler = _Kept(witness.logged)
    root = logging.getLogger()
    # A program that ran in this process before may have set its own.
    levels = {name: logging.getLogger(name).level for name in (None, "stationmaster")}
    root.addHandler(handler)
    for name in levels:
        logging.getLogger(name).setLevel(logging.DEBUG)
    done = threading.Event()
    thread = threading.Thread(target=_watch_children, args=(witness.commands, done))
    thread.start()
    try:
        yield witness
    finally:
        done.set()
        thread.join()
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        root.removeHandler(handler)


class _Kept(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.NOTSET)
        # Of the two forms the one that tells more.
        self.setFormatter(logs.formatter("json"))
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        # Ours is the client's side of the wire, which sees what it is told.
        is_our_client = record.threadName == "MainThread" and record.name.startswith("http")
        if not is_our_client:
            self._lines.append(self.format(record))


def _watch_children(commands: set[str], done: threading.Event) -> None:
    me = psutil.Process()
    while not done.wait(0.002):
        for child in me.children(recursive=True):
            try:
                commands.add(" ".join(child.cmdline()))
            except psutil.Error:
                continue  # It has ended in between.
