"""Commands that take something away for good: they ask at a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest

from tests.support.commands import command, succeed
from tests.support.processes import PROGRAM

ADA = "ada@example.com"


def at_a_terminal(answer: bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard input is a terminal at which that is typed."""
    main, terminal = pty.openpty()
    try:
        os.write(main, answer)
        return subprocess.run(
            [*PROGRAM, *arguments], stdin=terminal, capture_output=True, text=True, check=False
        )
    finally:
        os.close(main)
        os.close(terminal)


@pytest.mark.parametrize(("answer", "stays"), [(b"n\n", True), (b"y\n", False)])
def test_a_member_is_removed_only_when_a_person_agrees(
    made: dict[str, str], answer: bytes, stays: bool
) -> None:
    folder = ("--data-dir", made["data"])
    succeed("members", "add", ADA, *folder)

    done = at_a_terminal(answer, "members", "remove", ADA, *folder)

    assert f"Remove {ADA}?" in done.stderr
    assert "agents can still spend at their vendors" in done.stderr
    assert done.returncode == (1 if stays else 0)
    listed = command("members", "list", *folder).stdout.decode()
    assert (ADA in listed) == stays


def test_yes_answers_before_the_question_and_scripts_are_not_asked(made: dict[str, str]) -> None:
    folder = ("--data-dir", made["data"])
    for arguments in ((), ("--yes",)):
        succeed("members", "add", ADA, *folder)
        done = command("members", "remove", ADA, *arguments, *folder)
        assert done.code == 0
        assert done.stderr.startswith(f"{ADA} is removed. This removes access to this server")
