"""Repositories as people name them, and results that are checked before long work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import command, succeed
from tests.support.repositories import Repository

VERBS = (("readiness",), ("ci-scan",), ("wiki", "generate"))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit({"README.md": "# Shop\n", "src/main.py": "def main() -> None:\n    print(1)\n"})
    (made.path / "src").mkdir(exist_ok=True)
    return made


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_what_is_no_repository_says_why(verb: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("x")

    assert command(*verb, tmp_path / "nope").error.endswith("nope does not exist.")
    assert "is a file; name a repository's folder" in command(*verb, tmp_path / "file.txt").error
    assert "is not a git repository" in command(*verb, tmp_path).error
    assert "cannot be reached" in command(*verb, "https://git.invalid/acme/shop").error


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_folder_inside_a_repository_is_read_as_the_repository(
    verb: tuple[str, ...], repository: Repository, tmp_path: Path
) -> None:
    out = ("--out", tmp_path / "out") if verb[0] == "wiki" else ()

    done = command(*verb, repository.path / "src", *out)

    assert done.code == 0
    assert f"is part of the repository {repository.path}, which is read as a whole." in done.stderr


def test_a_scan_of_no_ci_says_so_and_what_was_looked_for(repository: Repository) -> None:
    done = command("ci-scan", repository.path)

    shown = done.stdout.decode()
    assert shown.startswith("No CI configuration found")
    assert "GitHub Actions" in shown
    assert "0 findings" not in shown


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        (("readiness",), "--html"),
        (("readiness",), "--md"),
        (("readiness",), "--badge"),
        (("wiki", "generate"), "--out"),
        (("wiki", "generate"), "--memory"),
    ],
)
def test_a_result_that_cannot_be_written_is_refused_before_the_work(
    verb: tuple[str, ...], option: str, repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    target = tmp_path / "file" / "below"

    done = command(*verb, repository.path, option, target)

    assert done.error.startswith(f"{option} {target} cannot be written: ")
    assert done.stdout == b""


def test_a_wiki_does_not_replace_that_of_another_repository(
    repository: Repository, tmp_path: Path
) -> None:
    other = Repository(tmp_path / "other")
    other.commit({"README.md": "# Other\n", "a.py": "x = 1\n"})
    out = ("--out", tmp_path / "wiki")
    succeed("wiki", "generate", repository.path, *out)
    before = (tmp_path / "wiki" / "index.md").read_bytes()

    refused = command("wiki", "generate", other.path, *out)

    assert "holds the wiki of shop (" in refused.error
    assert refused.error.endswith("name another folder with --out")
    assert (tmp_path / "wiki" / "index.md").read_bytes() == before
    assert command("wiki", "generate", repository.path, *out).code == 0
