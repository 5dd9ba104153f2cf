"""Repositories of our own to read: twenty with CI workflows, and one of ten thousand files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

REPOSITORIES = 20
WORKFLOWS = 13
FILES = 10_000
_JOB = """
  job{n}:
    runs-on: ${{{{ matrix.os }}}}
    timeout-minutes: 20
    strategy:
      matrix: {{os: [ubuntu-latest, macos-latest], python: ["3.11", "3.12"]}}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{python-version: "${{{{ matrix.python }}}}", cache: pip}}
      - name: Install and test
        run: |
          python -m pip install -e .[test]
          echo "${{{{ github.event.pull_request.title }}}}"
          pytest --cov
        env: {{TOKEN: "${{{{ secrets.TOKEN }}}}"}}
      - uses: some/action-{n}@main
"""
_HEAD = """name: Workflow {n}
on:
  push: {{branches: [main]}}
  pull_request: {{paths: ["src/**"]}}
  schedule: [{{cron: "{n} 5 * * 1"}}]
permissions: {{contents: read}}
jobs:"""


def with_workflows(folder: Path) -> list[Path]:
    """Twenty bare repositories, each with thirteen workflows of a few jobs."""
    return [
        _repository(folder / f"r{number}", _workflows(number)) for number in range(REPOSITORIES)
    ]


def large(folder: Path) -> Path:
    """A bare repository of ten thousand files of code, documents and configuration."""
    return _repository(folder, _files())


def export(repository: Path, folder: Path) -> Path:
    """The workflows of a repository as files, for tools that read no git."""
    folder.mkdir(parents=True)
    listed = _git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")
    for path in listed:
        if path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml")):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_git(repository, "show", f"HEAD:{path}"))
    return folder


def _workflows(number: int) -> Iterator[tuple[str, str]]:
    yield "README.md", "# A repository\n"
    for n in range(WORKFLOWS):
        jobs = "".join(_JOB.format(n=f"{number}-{n}-{job}") for job in range(1 + n % 6))
        yield f".github/workflows/w{n}.yml", _HEAD.format(n=n) + jobs


def _files() -> Iterator[tuple[str, str]]:
    yield from _workflows(0)
    yield "pyproject.toml", '[project]\nname = "large"\nversion = "1"\ndependencies = ["httpx"]\n'
    yield "AGENTS.md", "# Working here\n\nRun `make test`.\n"
    yield "Makefile", "test:\n\tpytest\nlint:\n\truff check .\n"
    line = "def function_{n}(value: int) -> int:\n    return value + {n}\n\n\n"
    for n in range(FILES - WORKFLOWS - 4):
        kind = n % 10
        place = f"part{n % 40}/package{n % 7}"
        if kind < 7:
            yield f"src/{place}/module_{n}.py", line.format(n=n) * 30
        elif kind < 9:
            yield f"tests/{place}/test_{n}.py", f"def test_{n}() -> None:\n    assert {n}\n" * 10
        else:
            yield f"docs/{place}/page_{n}.md", f"# Page {n}\n\nSome words.\n" * 10


def _repository(folder: Path, files: Iterator[tuple[str, str]]) -> Path:
    folder.mkdir(parents=True)
    _git(folder, "init", "--bare", "--quiet", "--initial-branch=main")
    head = "commit refs/heads/main\ncommitter A <a@example.com> 1795176000 +0000\ndata 1\nx\n"
    parts = [head.encode()]
    for path, text in files:
        data = text.encode()
        parts.append(f'M 100644 inline "{path}"\ndata {len(data)}\n'.encode() + data + b"\n")
    _git(folder, "fast-import", "--quiet", stdin=b"".join(parts))
    return folder


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *arguments],
        cwd=folder, env=env, input=stdin, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout
