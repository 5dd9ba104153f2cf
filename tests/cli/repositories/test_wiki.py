"""`wiki`: from a folder to the server and back, beside a data folder and from afar."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for
from tests.wiki.wikis import FILES, REPO, zipped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "wiki"
    for name, content in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(content)
    return made


def wiki(made: dict[str, str], verb: str, *more: object) -> Any:
    return succeed("wiki", verb, *more, "--data-dir", made["data"])


def test_a_folder_is_uploaded_found_and_deleted(made: dict[str, str], folder: Path) -> None:
    run = wiki(made, "upload", folder, "--repo", REPO, "--commit", "0123abc", "--private")

    assert (run["repoUrl"], run["commitHash"], run["pageCount"]) == (REPO, "0123abc", 4)
    assert (run["privacyLevel"], run["hasLocalChanges"]) == ("private", None)
    run_id = run["wikiRunId"]
    assert wiki(made, "list") == {"wikiRuns": [run]}
    assert wiki(made, "list", "--repo", f"{REPO}.git") == {"wikiRuns": [run]}
    assert [node["path"] for node in wiki(made, "show", run_id)["pageTree"]] == [
        "index",
        "guides",
        "overview",
    ]
    [hit] = wiki(made, "search", run_id, "http")["results"]
    assert hit["path"] == "overview/architecture"
    assert wiki(made, "delete", run_id) == {"wikiRunId": run_id}
    assert wiki(made, "list") == {"wikiRuns": []}


def test_an_export_is_uploaded_again_to_the_same_bytes(
    made: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    run = wiki(made, "upload", folder, "--repo", REPO, "--branch", "main")
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"

    assert wiki(made, "export", run["wikiRunId"], "--out", first)["file"] == str(first)
    again = wiki(made, "upload", first)
    wiki(made, "export", again["wikiRunId"], "--out", second)

    assert (again["repoUrl"], again["branch"]) == (REPO, "main")
    assert first.read_bytes() == second.read_bytes()


def test_an_unpacked_export_keeps_its_repository_and_order(
    made: dict[str, str], folder: Path
) -> None:
    (folder / "wiki.json").write_text(f'{{"repoUrl": "{REPO}", "pages": ["guides/set-up.md"]}}')

    run = wiki(made, "upload", folder)

    assert run["repoUrl"] == REPO
    tree = wiki(made, "show", run["wikiRunId"])["pageTree"]
    assert [node["path"] for node in tree] == ["guides", "index", "overview"]


def test_an_export_without_a_name_never_replaces_a_file(
    made: dict[str, str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = wiki(made, "upload", folder, "--repo", REPO, "--commit", "0123abc")["wikiRunId"]

    assert wiki(made, "export", run)["file"] == "acme-engine-wiki-0123abc.zip"
    again = command("wiki", "export", run, "--data-dir", made["data"])

    assert again.error.startswith("acme-engine-wiki-0123abc.zip already exists")


def test_the_repository_of_the_current_folder_is_told(
    made: dict[str, str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for arguments in (
        ("init", "-q", "-b", "trunk"),
        ("remote", "add", "origin", "git@git.example.com:acme/engine.git"),
        ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(["git", *arguments], cwd=checkout, check=True)
    (checkout / "new").touch()
    monkeypatch.chdir(checkout)

    run = wiki(made, "upload", folder)
    named = wiki(made, "upload", folder, "--repo", REPO + "2")

    assert (run["repoUrl"], run["branch"], len(run["commitHash"])) == (REPO, "trunk", 40)
    assert (run["hasLocalChanges"], run["hasNonRemoteCommits"]) == (True, True)
    assert (named["commitHash"], named["branch"], named["hasLocalChanges"]) == (None, None, None)


def test_a_wiki_of_no_repository_is_refused(
    made: dict[str, str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    done = command("wiki", "upload", folder, "--data-dir", made["data"])

    assert done.error.startswith("The repository of this wiki is not named")


@pytest.mark.parametrize("target", ["secret.md", "elsewhere", "nowhere"])
def test_links_are_neither_followed_nor_uploaded(
    made: dict[str, str], folder: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "secret.md").write_text("# Secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text("# Secret")
    (folder / "link.md").symlink_to(tmp_path / target)

    done = command("wiki", "upload", folder, "--repo", REPO, "--data-dir", made["data"])

    assert done.error == "link.md is no plain file, but a link or a device"
    assert wiki(made, "list") == {"wikiRuns": []}


def test_hidden_files_and_folders_are_left_out(made: dict[str, str], folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / ".DS_Store").write_bytes(b"\0")

    assert wiki(made, "upload", folder, "--repo", REPO)["pageCount"] == 4


def test_a_device_is_refused_and_not_read(made: dict[str, str], folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")

    done = command("wiki", "upload", folder, "--repo", REPO, "--data-dir", made["data"])

    assert done.error.startswith("pipe.md is no plain file")


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"a.md": b"no heading"}, "The page 'a.md' does not start with"),
        ({"a.txt": b"x"}, "The archive has a file 'a.txt'"),
        ({"../a.md": b"# A"}, "The path '../a.md' leaves its folder."),
    ],
)
def test_a_bad_archive_is_one_line(
    made: dict[str, str], tmp_path: Path, files: dict[str, bytes], error: str
) -> None:
    (tmp_path / "wiki.zip").write_bytes(zipped(files))
    upload = ("wiki", "upload", tmp_path / "wiki.zip", "--repo", REPO, "--data-dir", made["data"])

    assert command(*upload).error.startswith(error)


@pytest.mark.parametrize("verb", ["show", "export", "delete"])
def test_an_unknown_run_is_one_line(made: dict[str, str], verb: str) -> None:
    done = command("wiki", verb, "wiki_none", "--data-dir", made["data"])

    assert done.error == "There is no such wiki run or page."


def test_a_server_is_spoken_to_from_afar(
    made: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        afar = ("--url", server.url, "--key", made["api_key"])
        run = succeed("wiki", "upload", folder, "--repo", REPO, *afar)

        assert succeed("wiki", "list", *afar) == {"wikiRuns": [run]}


def test_a_question_is_answered_from_pages_and_code(made: dict[str, str], folder: Path) -> None:
    run = wiki(made, "upload", folder, "--repo", REPO, "--commit", "0123abc")

    answer = wiki(made, "ask", run["wikiRunId"], "How is HTTP parsed?")

    assert [passage["path"] for passage in answer["passages"]] == ["overview/architecture"]
    assert (answer["code"], answer["answer"]) == ([], None)


def test_people_get_tables(made: dict[str, str], folder: Path) -> None:
    where = ("--data-dir", made["data"])
    run = command("wiki", "upload", folder, "--repo", REPO, *where).stdout.decode().strip()

    listed = command("wiki", "list", *where).stdout.decode()
    shown = command("wiki", "show", run, *where).stdout.decode()
    found = command("wiki", "search", run, "engine", *where).stdout.decode()

    assert run in listed
    assert REPO in shown
    assert "overview/architecture" in shown
    assert "How the engine works." in found
