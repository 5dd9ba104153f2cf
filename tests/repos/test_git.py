"""Every call of git: what it is given, what bounds it, what it may say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stationmaster.errors import OperatorError
from stationmaster.repos import git
from stationmaster.repos.git import GitError, GitLimits, redacted

pytestmark = pytest.mark.attack


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    git.command.cache_clear()


def test_a_process_has_its_limits_and_its_own_group(tmp_path: Path) -> None:
    limits = GitLimits(cpu_s=77, memory=2**30, file_size=12_345)
    git.make_folder(tmp_path / "git", "0" * 40)

    with git.running(
        ["cat-file", "--batch"],
        home=tmp_path,
        limits=limits,
        environment={"GIT_DIR": str(tmp_path / "git")},
    ) as process:
        process.stdin.write(b"nothing\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"nothing missing\n"
        pid = process._popen.pid
        told = Path(f"/proc/{pid}/limits").read_text().splitlines()
        assert os.getpgid(pid) == pid != os.getpgid(0)

    found = {line[:26].strip(): line[26:].split()[:2] for line in told}
    assert found["Max cpu time"] == ["77", "77"]
    assert found["Max address space"] == [str(2**30)] * 2
    assert found["Max file size"] == ["12345", "12345"]
    assert found["Max core file size"] == ["0", "0"]
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_inherits_nothing_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIONMASTER_SECRET_KEY", "hunter2")
    monkeypatch.setenv("GIT_SSH_COMMAND", "hunter2")
    git.make_folder(tmp_path / "git", "0" * 40)

    with git.running(
        ["cat-file", "--batch"],
        home=tmp_path,
        limits=GitLimits(),
        environment={"GIT_DIR": str(tmp_path / "git")},
        config={"http.extraHeader": "Authorization: t0k"},
    ) as process:
        process.stdin.write(b"nothing\n")
        process.stdin.flush()
        process.stdout.readline()
        proc = Path(f"/proc/{process._popen.pid}")
        environment = proc.joinpath("environ").read_text()
        arguments = proc.joinpath("cmdline").read_text()

    names = {entry.partition("=")[0] for entry in environment.split("\0") if entry}
    assert {name for name in names if not name.startswith("GIT_CONFIG_")} == {
        "PATH", "HOME", "LC_ALL", "GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "GIT_ALLOW_PROTOCOL",
        "GIT_LFS_SKIP_SMUDGE", "GIT_NO_REPLACE_OBJECTS", "GIT_NO_LAZY_FETCH", "GIT_OPTIONAL_LOCKS",
        "GIT_ATTR_NOSYSTEM", "GIT_DIR",
    }  # fmt: skip
    assert "hunter2" not in environment
    assert "Authorization: t0k" in environment
    assert "t0k" not in arguments


def test_a_failure_tells_the_last_words_without_secrets(tmp_path: Path) -> None:
    with pytest.raises(GitError) as failed:
        git.run(
            ["ls-remote", "--", "https://ada:pass@host.invalid/t0ken"],
            home=tmp_path,
            limits=GitLimits(),
            secrets=["t0ken"],
        )

    assert "transport 'https' not allowed" in failed.value.stderr
    assert "pass" not in failed.value.stderr
    assert "t0ken" not in failed.value.stderr
    assert not failed.value.timed_out


def test_output_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git.run(["version"], home=tmp_path, limits=GitLimits()).startswith(b"git version")
    monkeypatch.setattr(git, "OUTPUT_MAX", 5)

    with pytest.raises(GitError):
        git.run(["version"], home=tmp_path, limits=GitLimits())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fatal: https://ada:t0k@host/a: no", "fatal: https://…host/a: no"),
        ("https://t0k@host", "https://…host"),
        ("> authorization: Bearer t0k\r\nnext", "> authorization: …\r\nnext"),
        ("Authorization:Basic YTpi", "Authorization:…"),
        ("https://host/a@b", "https://host/a@b"),
    ],
)
def test_messages_lose_what_can_hold_a_credential(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (None, "no_git"),
        ("echo git version 2.38.9", "old_git"),
        ("echo git version 1.99", "old_git"),
        ("echo hello", "old_git"),
    ],
)
def test_a_missing_or_old_git_is_for_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, code: str
) -> None:
    if script is not None:
        (tmp_path / "git").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(OperatorError) as refused:
        git.command()

    assert refused.value.code == code
