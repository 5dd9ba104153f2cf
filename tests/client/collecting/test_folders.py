"""Looking for files in folders that hold anything: each plain file once, and nothing stops it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stationmaster.agents import cards
from stationmaster.agents.cards.home import Folder, Home, Root
from stationmaster.client.collecting import sources
from stationmaster.client.collecting.folders import Search
from tests.support import sessions


def found(folder: Path, pattern: str) -> list[str]:
    files = Search().below(Root(str(folder), pattern))
    return sorted(str(Path(file.path).relative_to(folder)) for file in files)


def filled(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return folder


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.db", ["a.db"]),
        ("**/*.db", ["a.db", "in/a.db", "in/in/a.db", "no/.in/a.db"]),
        ("in/*.db", ["in/a.db"]),
        ("*/a.db", ["in/a.db"]),
        ("**/in/*.db", ["in/a.db", "in/in/a.db"]),
        ("**/.in/**/*.db", ["no/.in/a.db"]),
        ("none/**/*.db", []),
    ],
)
def test_patterns_name_files_at_any_or_one_depth(
    tmp_path: Path, pattern: str, expected: list[str]
) -> None:
    filled(tmp_path, "a.db", "a.db-wal", "in/a.db", "in/in/a.db", "no/.in/a.db")

    assert found(tmp_path, pattern) == expected


def test_a_folder_with_brackets_in_its_name_is_a_folder(tmp_path: Path) -> None:
    assert found(filled(tmp_path / "[x]*", "a.db"), "*.db") == ["a.db"]


def test_links_below_a_root_are_not_followed_and_a_root_may_be_one(tmp_path: Path) -> None:
    kept = filled(tmp_path / "kept", "in/a.db")
    (kept / "in" / "loop").symlink_to(kept)
    (kept / "disk").symlink_to("/")
    (kept / "b.db").symlink_to(kept / "in" / "a.db")
    (tmp_path / "root").symlink_to(kept)

    assert found(tmp_path / "root", "**/*.db") == ["in/a.db"]


def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.db")
    filled(tmp_path, "b.db")

    assert found(tmp_path, "*.db") == ["b.db"]


def test_a_real_file_under_two_names_is_found_once(tmp_path: Path) -> None:
    filled(tmp_path, "a.db")
    os.link(tmp_path / "a.db", tmp_path / "b.db")

    assert len(found(tmp_path, "*.db")) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    filled(tmp_path, "a/a.db", "b/b.db")
    (tmp_path / "a").chmod(0)
    search = Search()

    files = [file.path for file in search.below(Root(str(tmp_path), "*/*.db"))]

    (tmp_path / "a").chmod(0o700)
    assert files == [str(tmp_path / "b" / "b.db")]
    assert search.unreadable == [str(tmp_path / "a")]


def test_a_tree_deeper_than_any_persons_is_left(tmp_path: Path) -> None:
    filled(tmp_path, "/".join(["d"] * 80) + "/a.db", "b.db")

    assert found(tmp_path, "**/*.db") == ["b.db"]


class TestOverrides:
    """Variables of the environment that move what an agent keeps."""

    def home(self, tmp_path: Path, **variables: str) -> Home:
        return Home(str(tmp_path / "home"), variables.get)

    def paths(self, home: Home) -> list[str]:
        return [file.path for file in sources.of_this_machine(home, lambda *_: True).sessions]

    def session(self, folder: Path) -> Path:
        path = folder / "projects" / "p" / "s.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(sessions.turns("s1", 1, 1))
        return path

    def test_name_further_folders_beside_the_usual_one(self, tmp_path: Path) -> None:
        usual = sessions.a_session(tmp_path / "home")
        one, two = self.session(tmp_path / "one"), self.session(tmp_path / "two")

        home = self.home(tmp_path, CLAUDE_CONFIG_DIR=f"{tmp_path}/one,{tmp_path}/two")

        assert sorted(self.paths(home)) == sorted(map(str, (usual, one, two)))
        assert home.asked["CLAUDE_CONFIG_DIR"] == f"{tmp_path}/one,{tmp_path}/two"

    def test_that_name_the_usual_folder_change_nothing(self, tmp_path: Path) -> None:
        usual = sessions.a_session(tmp_path / "home")
        (tmp_path / "again").symlink_to(tmp_path / "home" / ".claude")

        home = self.home(tmp_path, CLAUDE_CONFIG_DIR=f"{tmp_path}/home/.claude/,{tmp_path}/again")

        assert self.paths(home) == [str(usual)]

    @pytest.mark.parametrize("value", ["", ",", "relative/folder", "~/x"])
    def test_that_name_no_absolute_folder_are_passed_over(self, tmp_path: Path, value: str) -> None:
        assert self.home(tmp_path, CODEX_HOME=value).folders(Folder(".codex", "CODEX_HOME")) == [
            f"{tmp_path}/home/.codex"
        ]

    @pytest.mark.parametrize(
        ("product", "variable", "folder", "pattern"),
        [
            ("claude-code", "CLAUDE_CONFIG_DIR", "/x", "projects/**/*.jsonl"),
            ("claude-code", "XDG_CONFIG_HOME", "/x/claude", "projects/**/*.jsonl"),
            (
                "claude-code",
                "APPDATA",
                "/x/Claude",
                "local-agent-mode-sessions/**/.claude/projects/**/*.jsonl",
            ),
            ("codex", "CODEX_HOME", "/x", "sessions/**/*.jsonl"),
            ("gemini-cli", "GEMINI_CLI_HOME", "/x/.gemini", "tmp/*/chats/**/*.jsonl"),
            ("qwen-code", "QWEN_HOME", "/x", "projects/*/chats/**/*.jsonl"),
            ("qwen-code", "QWEN_RUNTIME_DIR", "/x", "projects/*/chats/**/*.jsonl"),
            ("opencode", "XDG_DATA_HOME", "/x/opencode", "opencode*.db"),
            ("opencode", "LOCALAPPDATA", "/x/opencode", "opencode*.db"),
            ("opencode", "OPENCODE_DATA_DIR", "/x", "storage/session/*/*.json"),
            ("copilot-cli", "COPILOT_HOME", "/x", "session-state/*/events.jsonl"),
        ],
    )
    def test_of_every_agent_are_heeded(
        self, product: str, variable: str, folder: str, pattern: str
    ) -> None:
        home = Home("/home/dev", {variable: "/x"}.get)

        roots = [(root.folder, root.pattern) for root in home.roots(cards.get(product).files)]
        assert (folder, pattern) in roots
