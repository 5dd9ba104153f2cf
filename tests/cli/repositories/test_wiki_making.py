"""`wiki generate`, `check`, `request`, `cancel`, `compare`: from a repository to files and runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command, succeed
from tests.support.repositories import Repository
from tests.wiki.wikis import FILES as WIKI

REMOTE = "https://github.com/acme/engine"
FILES = {
    "README.md": "# Engine\n\nIt turns heat into motion.\n",
    "pyproject.toml": '[project]\nname = "engine"\nversion = "1.0"\n',
    "engine/__init__.py": '"""The engine."""\n\nfrom engine.pump import press\n',
    "engine/pump.py": '"""The pump."""\n\n\ndef press() -> int:\n    """Hold the pressure."""\n'
    "    return 1\n",
}


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "engine")
    made.commit(FILES)
    return made


@pytest.fixture
def repository(origin: Repository) -> Path:
    return origin.path


def generate(target: Path, *more: object) -> Any:
    return succeed("wiki", "generate", target, *more)


def pages(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_wiki_is_written_and_every_link_and_citation_of_it_holds(
    repository: Path, tmp_path: Path
) -> None:
    out = tmp_path / "wiki"

    told = generate(repository, "--out", out)
    checked = succeed("wiki", "check", out, "--repo", repository)

    assert told["page"] == str(out / "index.md")
    assert (out / "index.md").read_text().startswith("# ")
    assert (out / "llms.txt").exists()
    assert (checked["unresolved"], checked["problems"]) == (0, [])
    assert checked["pages"] == told["stats"]["pages"]


def test_writing_again_with_what_is_remembered_changes_no_byte(
    repository: Path, tmp_path: Path
) -> None:
    out, memory = tmp_path / "wiki", tmp_path / "memory"
    generate(repository, "--out", out)
    first = pages(out)

    for _ in range(2):
        generate(repository, "--out", out, "--memory", memory)

    assert pages(out) == first


def test_citations_lead_to_the_host_of_the_remote_and_are_checked_there(
    origin: Repository, repository: Path, tmp_path: Path
) -> None:
    origin.git("remote", "add", "origin", f"{REMOTE}.git")
    out = tmp_path / "wiki"
    generate(repository, "--out", out)
    page = next(path for path in out.rglob("*.md") if f"{REMOTE}/blob/" in path.read_text())

    page.write_text(page.read_text().replace("README.md", "GONE.md").replace("pump.py", "gone.py"))
    done = command("wiki", "check", out, "--repo", repository)

    assert done.code == 1
    assert b": no-file: https://github.com/acme/engine/blob/" in done.stdout


def test_a_page_that_a_person_changed_is_left(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "wiki"
    generate(repository, "--out", out)
    (out / "index.md").write_text("# Ours\n")
    (out / "notes.md").write_text("# Notes\n")

    done = command("wiki", "generate", repository, "--out", out)

    assert "index.md was edited since" in done.stderr
    assert (out / "index.md").read_text() == "# Ours\n"
    assert (out / "notes.md").exists()


def test_the_layout_of_a_github_wiki_has_flat_names(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "engine.wiki"
    generate(repository, "--out", out, "--layout", "github")

    assert {"Home.md", "_Sidebar.md", "_Footer.md"} <= {path.name for path in out.iterdir()}
    assert succeed("wiki", "check", out, "--repo", repository)["problems"] == []


def test_a_generated_wiki_is_uploaded_like_any_other(
    origin: Repository, repository: Path, made: dict[str, str]
) -> None:
    refused = command("wiki", "generate", repository, "--upload", "--data-dir", made["data"])
    origin.git("remote", "add", "origin", REMOTE)
    run = generate(repository, "--upload", "--data-dir", made["data"])
    succeed("wiki", "generate", repository, "--upload", "--data-dir", made["data"])

    assert "no remote" in refused.stderr
    assert (run["repoUrl"], run["status"]) == (REMOTE, "completed")
    assert run["agentVersion"].startswith("stationmaster/")
    history = succeed("wiki", "list", "--repo", REMOTE, "--data-dir", made["data"])["wikiRuns"]
    newest, oldest = (each["wikiRunId"] for each in history)
    assert succeed("wiki", "compare", oldest, newest, "--data-dir", made["data"])["changes"] == []


def test_a_run_that_is_asked_for_waits_and_can_be_called_off(made: dict[str, str]) -> None:
    repo = succeed("repos", "add", REMOTE, "--data-dir", made["data"])["repoId"]

    run = succeed("wiki", "request", repo, "--data-dir", made["data"])
    cancelled = succeed("wiki", "cancel", run["wikiRunId"], "--data-dir", made["data"])
    again = command("wiki", "cancel", run["wikiRunId"], "--data-dir", made["data"])

    assert (run["status"], cancelled["status"]) == ("pending", "cancelled")
    assert again.code == 1


@pytest.mark.parametrize("target", ["nothing-here", "file.txt"])
def test_what_is_no_repository_is_refused_and_nothing_is_written(
    tmp_path: Path, target: str
) -> None:
    (tmp_path / "file.txt").write_text("x")
    done = command("wiki", "generate", tmp_path / target, "--out", tmp_path / "wiki")

    assert done.code == 1
    assert not (tmp_path / "wiki").exists()


@pytest.mark.parametrize(("layout", "first"), [("pages", "index.md"), ("github", "Home.md")])
def test_a_run_is_exported_into_a_folder_with_its_images(
    made: dict[str, str], tmp_path: Path, layout: str, first: str
) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    for name, content in WIKI.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(content)
    data = ("--data-dir", made["data"])
    run = succeed("wiki", "upload", source, "--repo", REMOTE, *data)["wikiRunId"]

    told = succeed("wiki", "export", run, "--layout", layout, "--out", out, *data)

    assert told == {"page": str(out / first)}
    assert (out / "images/flow.png").read_bytes() == WIKI["images/flow.png"]
    assert succeed("wiki", "check", out)["problems"] == []
