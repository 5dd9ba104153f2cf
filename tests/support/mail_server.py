"""A mail server on loopback: it speaks enough SMTP for one message after another, and misbehaves as
a test says."""

from __future__ import annotations

import base64
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any


@dataclass
class MailServer:
    """What it does, and what it was sent."""

    port: int = 0
    context: ssl.SSLContext | None = None
    """With one it offers STARTTLS, or speaks TLS from the start."""
    is_tls_from_start: bool = False
    login: tuple[str, str] | None = None
    answers: dict[str, str] = field(default_factory=dict)
    """What it answers to a verb in place of its own answer: `{"RCPT": "550 no"}`."""
    stalls_at: str | None = None
    """The verb that it never answers; "" is the greeting."""
    raw: list[bytes] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[EmailMessage]:
        read = (message_from_bytes(raw, policy=policy.default) for raw in self.raw)
        return [message for message in read if isinstance(message, EmailMessage)]


@contextmanager
def running_mail_server(**behaviour: Any) -> Iterator[MailServer]:
    made = MailServer(**behaviour)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            session = _Session(made, self.request)
            with suppress(OSError):
                session.run()
            session.close()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made
        finally:
            made.stop.set()
            server.shutdown()
            thread.join()


class _Session:
    def __init__(self, server: MailServer, connection: Any) -> None:
        self._server = server
        self._use(connection)
        self._is_encrypted = False
        self._recipients: list[str] = []

    def run(self) -> None:
        if self._server.is_tls_from_start:
            self._encrypt()
        self._say("", "220 mail.example ready")
        while line := self._reader.readline():
            words = line.decode().split()
            verb = words[0].upper() if words else ""
            self._server.verbs.append(verb)
            if verb == "QUIT":
                self._say(verb, "221 bye")
                return
            self._answer(verb, words[1:])

    def _answer(self, verb: str, words: list[str]) -> None:
        if verb == "EHLO":
            self._say(verb, "\r\n".join(self._offers()))
        elif verb == "STARTTLS":
            self._say(verb, "220 go on")
            self._encrypt()
        elif verb == "AUTH":
            self._say(verb, "235 welcome" if self._is_known(words) else "535 unknown")
        elif verb == "RCPT":
            self._recipients.append(words[0][len("TO:<") : -1])
            self._say(verb, "250 fine")
        elif verb == "DATA":
            self._say(verb, "354 go on")
            if verb not in self._server.answers:
                self._take()
        else:
            self._say(verb, "250 fine")

    def _offers(self) -> list[str]:
        offers = ["SMTPUTF8", "8BITMIME"]
        if self._server.context is not None and not self._is_encrypted:
            offers.append("STARTTLS")
        if self._server.login is not None:
            offers.append("AUTH PLAIN")
        return ["250-mail.example", *(f"250-{offer}" for offer in offers[:-1]), f"250 {offers[-1]}"]

    def _is_known(self, words: list[str]) -> bool:
        _, user, password = base64.b64decode(words[-1]).decode().split("\0")
        return self._is_encrypted and (user, password) == self._server.login

    def _take(self) -> None:
        lines = []
        while (line := self._reader.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b"..") else line)
        self._server.raw.append(b"".join(lines).replace(b"\r\n", b"\n"))
        self._server.recipients.append(self._recipients)
        self._recipients = []
        self._say(".", "250 taken")

    def _say(self, verb: str, answer: str) -> None:
        if self._server.stalls_at == verb:
            self._server.stop.wait()
            return
        self._connection.sendall(f"{self._server.answers.get(verb, answer)}\r\n".encode())

    def _encrypt(self) -> None:
        assert self._server.context is not None
        self._use(self._server.context.wrap_socket(self._connection, server_side=True))
        self._is_encrypted = True

    def close(self) -> None:
        self._reader.close()
        self._connection.close()

    def _use(self, connection: Any) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")
