"""The gate refuses for no fault of its own: old answers, files that cannot be used, other input."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client.hooks import gate
from tests.client.hooks.gate.answers import PROMPT, aged, asked, decided, reason_in, rewrite
from tests.support.gates import DAY_MS, a_budget, now_ms, stored


@pytest.mark.parametrize("remaining", [0, 10**12])
@pytest.mark.parametrize("age_ms", [gate.STALE_MS + 1_000, -120_000], ids=["old", "from later"])
@pytest.mark.parametrize("rule", ["allow", "refuse"])
def test_an_answer_that_cannot_be_relied_on_leaves_it_to_the_budget(
    rule: str, age_ms: int, remaining: int, client_dir: Path
) -> None:
    path = stored(client_dir, a_budget(whenUnreachable=rule, remaining=remaining))
    aged(path, age_ms)

    answer = decided(client_dir, PROMPT)

    if rule == "allow":
        assert answer is None
    else:
        text = reason_in(answer, "claude-code", "prompt")
        assert "is not known on this machine since 20" in text
        assert "stationmaster hooks status" in text


def test_a_budget_that_only_warns_refuses_nothing_however_old_the_answer(client_dir: Path) -> None:
    aged(stored(client_dir, a_budget(atEnd="warn", whenUnreachable="refuse")), 10 * DAY_MS)

    assert decided(client_dir, PROMPT) is None


def make_missing(path: Path) -> None:
    path.unlink()


def make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def damages() -> dict[str, Callable[[Path], Any]]:
    def text(content: bytes) -> Callable[[Path], Any]:
        return lambda path: path.write_bytes(content)

    def content(**members: Any) -> Callable[[Path], Any]:
        return lambda path: rewrite(path, lambda stored: stored.update(members))

    def of_budget(**members: Any) -> Callable[[Path], Any]:
        return lambda path: rewrite(path, lambda s: s["answer"]["budgets"][0].update(members))

    head = f"{gate.HEAD} {now_ms()} {now_ms()}\n".encode()
    return {
        "missing": make_missing,
        "pipe": make_a_pipe,
        "link": make_a_link,
        "folder": make_a_folder,
        "empty": text(b""),
        "zeros": text(b"\0" * 4096),
        "huge": text(head + b" " * gate.SIZE_MAX),
        "half": lambda path: path.write_bytes(path.read_bytes()[:-100]),
        "deep": text(head + b"[" * 100_000),
        "later version": text(b"stationmaster-gate 2 0 9\n{}"),
        "no numbers": text(b"stationmaster-gate 1 a b\n{}"),
        "other json": text(head + b"[3]"),
        "null": content(answer=None),
        "texts for numbers": of_budget(remaining="0"),
        "endless time": of_budget(period={"reset": 10**400}),
        "no scope": of_budget(scope=None),
        "writable by others": lambda path: path.chmod(0o666),
    }


@pytest.mark.parametrize("damage", sorted(damages()))
def test_a_file_that_cannot_be_used_refuses_only_where_that_was_installed(
    damage: str, client_dir: Path
) -> None:
    damages()[damage](stored(client_dir, a_budget(whenUnreachable="refuse")))

    is_open = asked(client_dir, PROMPT, "--gate", "claude-code")
    is_closed = decided(client_dir, PROMPT, when_unreachable="refuse")

    assert is_open is None
    assert "is not known on this machine, " in reason_in(is_closed, "claude-code", "prompt")


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator gives files away")
def test_a_file_of_another_user_is_not_believed(client_dir: Path) -> None:
    os.chown(stored(client_dir, a_budget()), 12345, 12345)

    assert decided(client_dir, PROMPT) is None


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 100_000, b'{"hook_event_name": {}}', b"{}"]
)
def test_what_is_no_hook_is_not_refused(given: bytes, client_dir: Path) -> None:
    stored(client_dir, a_budget())

    assert decided(client_dir, given, when_unreachable="refuse") is None
    assert decided(client_dir, given, "some-agent") is None


def test_use_that_is_not_shown_refuses_nothing(client_dir: Path) -> None:
    stored(client_dir, a_budget(spent=None, remaining=None), a_budget(atEnd="warn"))

    assert "work continues" in decided(client_dir, PROMPT)["systemMessage"]
