"""Credentials as issuers make them, from a fixed seed: no file of the repository holds one."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.repositories import Repository

LETTERS = string.ascii_letters + string.digits
CAPITALS = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
_RANDOM = random.Random(20)


class Canary(NamedTuple):
    """`secret` is what may not appear, `text` how it stands in a repository."""

    kind: str
    secret: str
    text: str


def _some(count: int, letters: str = LETTERS) -> str:
    # The first ones make sure that there is a bit of everything, as there nearly always is.
    sure = "7dK" if letters == LETTERS else "7d" if letters == HEX else ""
    return sure + "".join(_RANDOM.choices(letters, k=count - len(sure)))


def _block(kind: str, lines: int = 4) -> str:
    body = "\n".join(_some(64, LETTERS + "+/") for _ in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


_SHAPES: dict[str, Callable[[], str]] = {
    "aws-id": lambda: "AKI" + "A" + _some(16, CAPITALS),
    "aws-session": lambda: "ASI" + "A" + _some(16, CAPITALS),
    "github": lambda: "gh" + "p_" + _some(36),
    "github-app": lambda: "gh" + "s_" + _some(36),
    "github-fine": lambda: "github" + "_pat_" + _some(22) + "_" + _some(59),
    "gitlab": lambda: "gl" + "pat-" + _some(20),
    "gitlab-runner": lambda: "gl" + "rt-" + _some(20),
    "slack": lambda: "xo" + "xb-" + _some(12, "123456789") + "-" + _some(24),
    "slack-hook": lambda: "https://hooks.slack" + ".com/services/T" + _some(9) + "/B" + _some(9)
    + "/" + _some(24),
    "stripe": lambda: "sk" + "_live_" + _some(24),
    "sendgrid": lambda: "S" + "G." + _some(22) + "." + _some(43),
    "npm": lambda: "npm" + "_" + _some(36),
    "pypi": lambda: "pyp" + "i-AgEI" + _some(80),
    "openai": lambda: "s" + "k-proj-" + _some(48),
    "anthropic": lambda: "sk-" + "ant-api03-" + _some(90),
    "google": lambda: "AI" + "za" + _some(35),
    "digitalocean": lambda: "dop" + "_v1_" + _some(64, HEX),
    "huggingface": lambda: "h" + "f_" + _some(34, string.ascii_letters),
    "twilio": lambda: "S" + "K" + _some(32, HEX),
    "mailgun": lambda: "ke" + "y-" + _some(32, HEX),
    "telegram": lambda: "123456789" + ":AA" + _some(33),
    "vault": lambda: "hv" + "s." + _some(24),
    "shopify": lambda: "shp" + "at_" + _some(32, HEX),
    "jwt": lambda: "ey" + "J" + _some(20) + ".ey" + "J" + _some(40) + "." + _some(43),
    "azure": lambda: "Account" + "Key=" + _some(86) + "==",
}  # fmt: skip


def all_kinds() -> list[Canary]:
    """One of each kind, fresh ones at every call."""
    found = [Canary(kind, secret := make(), secret) for kind, make in _SHAPES.items()]
    password, key, token = _some(14), _some(40), _some(24)
    found += [
        Canary("address", password, f"postgres://app:{password}@db.example.org/app"),
        Canary("named", key, f'aws_secret_access_key = "{key}"'),
        Canary("header", token, f"Authorization: Bearer {token}"),
    ]
    for kind in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        block = _block(kind)
        found.append(Canary(kind, block.split("\n")[2], block))
    return found


def plant(path: Path) -> tuple[Repository, list[list[Canary]]]:
    """A repository with canaries in code, settings, documents, scripts and messages."""
    planted = [all_kinds() for _ in range(6)]
    files = {
        "README.md": "# Canaries\n\n" + "\n\n".join(each.text for each in planted[0]),
        "config.py": "\n".join(each.text for each in short(planted[1])),
        "app/main.py": _source(planted[1]),
        "messages.txt": "\0".join(each.text for each in planted[2]),
        "run.sh": "\n".join(each.text for each in planted[3]),
        "Makefile": "".join(
            f"{each.kind.lower().replace(' ', '-')}:\n\tsend {each.text}\n"
            for each in short(planted[3])
        ),
        ".env": "\n".join(each.secret for each in planted[4]),
        "deploy/id_rsa": "plain words in a file that is never opened",
    }
    repository = Repository(path)
    head = repository.commit(files)
    for canary in planted[5]:
        arguments = ("-p", head, "-m", f"fix: use {canary.text}")
        head = repository.git("commit-tree", f"{head}^{{tree}}", *arguments)
    repository.git("update-ref", "refs/heads/main", head)
    return repository, planted


def short(canaries: list[Canary]) -> list[Canary]:
    return [each for each in canaries if "\n" not in each.text]


def _source(canaries: list[Canary]) -> str:
    """Python with canaries in documentation, defaults and variables."""
    lines = [f'"""Uses {canaries[0].text}."""', "import os", ""]
    for number, each in enumerate(short(canaries)):
        value = repr(each.text)
        lines += [
            f"def run_{number}(host={value}):",
            f'    """Ask with {each.text}."""' if '"' not in each.text else "    ...",
            f"    return os.environ.get('HOST_{number}', {value})",
            "",
        ]
    return "\n".join(lines)
