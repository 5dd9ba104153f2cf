"""Only what we wrote is touched; what people wrote or changed stays; no link leads anywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from stationmaster.errors import OperatorError
from stationmaster.wiki.outputs.sync import MANIFEST, Synced, sync

pytestmark = pytest.mark.attack

ONE = {"Home.md": b"# One\n", "modules/core.md": b"# core\n"}
TWO = {"Home.md": b"# Two\n"}


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def test_pages_are_written_once_and_then_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "wiki"

    first = sync(folder, ONE, "c1")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    again = sync(folder, ONE, "c1")

    assert first == Synced(("Home.md", "modules/core.md"), (), (), ())
    assert again == Synced((), ("Home.md", "modules/core.md"), (), ())
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")} == before
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["commit"] == "c1"
    assert sorted(manifest["files"]) == ["Home.md", "modules/core.md"]


def test_pages_of_ours_that_are_no_more_go_with_their_folders(tmp_path: Path) -> None:
    sync(tmp_path, ONE, "c1")

    assert sync(tmp_path, TWO, "c2") == Synced(("Home.md",), (), ("modules/core.md",), ())
    assert files(tmp_path) == {"Home.md": "# Two\n"}
    assert not (tmp_path / "modules").exists()


def test_pages_of_others_stay_whatever_they_are_called(tmp_path: Path) -> None:
    (tmp_path / "Home.md").write_text("by a person")
    (tmp_path / "Notes.md").write_text("notes")

    for policy in ("keep", "overwrite"):
        done = sync(tmp_path, ONE, "c1", policy)
        assert done.conflicts == ("Home.md",)
    sync(tmp_path, {}, "c2")

    assert files(tmp_path) == {"Home.md": "by a person", "Notes.md": "notes"}


@pytest.mark.parametrize(("policy", "left"), [("keep", "edited"), ("overwrite", "# Two\n")])
def test_a_page_of_ours_that_a_person_changed_is_a_conflict(
    tmp_path: Path, policy: str, left: str
) -> None:
    sync(tmp_path, ONE, "c1")
    (tmp_path / "Home.md").write_text("edited")

    done = sync(tmp_path, TWO, "c2", policy)  # type: ignore[arg-type] # each of both

    assert done.conflicts == (("Home.md",) if policy == "keep" else ())
    assert files(tmp_path) == {"Home.md": left}


def test_a_page_that_was_changed_and_is_no_more_is_kept(tmp_path: Path) -> None:
    sync(tmp_path, ONE, "c1")
    (tmp_path / "modules" / "core.md").write_text("edited")

    assert sync(tmp_path, TWO, "c2").conflicts == ("modules/core.md",)
    assert files(tmp_path)["modules/core.md"] == "edited"
    (tmp_path / "modules" / "core.md").write_bytes(ONE["modules/core.md"])
    assert sync(tmp_path, TWO, "c2").removed == ("modules/core.md",)


def test_no_link_is_followed_and_nothing_outside_is_touched(tmp_path: Path) -> None:
    folder, outside = tmp_path / "wiki", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "Home.md").write_text("outside")
    (folder / "Home.md").symlink_to(outside / "Home.md")
    (folder / "modules").symlink_to(outside)
    os.mkfifo(folder / "pipe.md")

    done = sync(folder, {**ONE, "pipe.md": b"x"}, "c1", "overwrite")

    assert done.conflicts == ("Home.md", "modules/core.md", "pipe.md")
    assert files(outside) == {"Home.md": "outside"}


def test_a_link_in_place_of_a_page_of_ours_is_replaced_or_kept_but_never_followed(
    tmp_path: Path,
) -> None:
    folder, outside = tmp_path / "wiki", tmp_path / "outside"
    outside.mkdir()
    (outside / "core.md").write_text("outside")
    sync(folder, ONE, "c1")
    (folder / "Home.md").unlink()
    (folder / "Home.md").symlink_to(outside / "core.md")
    (folder / "modules" / "core.md").unlink()
    (folder / "modules").rmdir()
    (folder / "modules").symlink_to(outside)

    done = sync(folder, TWO, "c2", "overwrite")

    assert done == Synced(("Home.md",), (), (), ("modules/core.md",))
    assert not (folder / "Home.md").is_symlink()
    assert files(outside) == {"core.md": "outside"}


@pytest.mark.parametrize(
    "manifest",
    ["", "[", "[]", "[" * 100_000, '{"format": 2, "files": {"Notes.md": "x"}}', "\udcff",
     '{"files": {"../outside.md": "x", "/etc/a.md": "x", ".git/config": "x", "a/../b.md": ""}}'],
)  # fmt: skip
def test_a_manifest_that_anybody_may_have_written_is_not_believed(
    tmp_path: Path, manifest: str
) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("outside")
    (folder / "Notes.md").write_text("notes")
    (folder / MANIFEST).write_bytes(manifest.encode(errors="surrogateescape"))

    assert sync(folder, TWO, "c1", "overwrite").removed == ()
    assert (tmp_path / "outside.md").read_text() == "outside"
    assert files(folder) == {"Home.md": "# Two\n", "Notes.md": "notes"}


@pytest.mark.parametrize("name", ["../a.md", "/a.md", ".git/a.md", "a//b.md", "a.sh", ""])
def test_a_name_that_no_page_has_is_never_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no page has the name"):
        sync(tmp_path / "wiki", {name: b""}, "c1")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "wiki").write_text("a file")

    with pytest.raises(OperatorError, match="cannot be written"):
        sync(tmp_path / "wiki", ONE, "c1")
