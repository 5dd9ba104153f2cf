from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.errors import Conflict
from stationmaster.pipelines.scan import WORKFLOWS_MAX
from stationmaster.pipelines.scanning.model import Author
from stationmaster.pipelines.scanning.scan import scan
from stationmaster.repos.reading import Change, Snapshot, TreeEntry, open_path
from tests.pipelines.scanning.support import ORIGIN, scanned
from tests.support.repositories import Repository

WORKFLOW = "on: push\njobs: {a: {}}\n"


class OneFile(Snapshot):
    """A commit of one file, whatever its bytes: made without git."""

    def __init__(self, path: str, content: bytes) -> None:
        self._one = TreeEntry(path, "100644", "0" * 40, len(content))
        self._content = content

    def entries(self) -> list[TreeEntry]:
        return [self._one]

    def read(self, path: str, size_max: int) -> bytes:
        return self._content


def test_a_repository_may_have_workflows_of_several_providers(tmp_path: Path) -> None:
    found = scanned(
        tmp_path,
        {
            ".gitlab-ci.yml": "a: {script: [x]}\n",
            ".github/workflows/ci.yml": WORKFLOW,
        },
    )

    assert [each.provider for each in found] == ["github-actions", "gitlab-ci"]


def test_a_repository_without_any_has_none(tmp_path: Path) -> None:
    assert scanned(tmp_path, {"README.md": "hello\n"}) == []


def test_a_repository_has_at_most_so_many(tmp_path: Path) -> None:
    paths = [f".github/workflows/{n}.yml" for n in range(WORKFLOWS_MAX + 5)]

    assert len(scanned(tmp_path, dict.fromkeys(paths, WORKFLOW))) == WORKFLOWS_MAX


def test_who_changed_a_file_last_is_told_and_found_once(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit({".github/workflows/a.yml": WORKFLOW}, author="Ada")
    repository.commit({".github/workflows/b.yml": WORKFLOW}, author="Bob\x1b[31m")
    with open_path(repository.path) as snapshot:
        first = scan(snapshot, ORIGIN).workflows
        known = {(each.file_path, each.file_sha): Author("Known") for each in first}
        again = scan(snapshot, ORIGIN, known).workflows

    assert [each.authored_by for each in first] == [Author("Ada"), Author("Bob[31m")]
    assert [each.authored_by for each in again] == [Author("Known")] * 2


def test_an_author_that_cannot_be_found_in_time_is_not_told() -> None:
    class Slow(OneFile):
        def last_change(self, path: str) -> Change | None:
            raise Conflict("Reading took too long.")

    slow = Slow(".github/workflows/a.yml", WORKFLOW.encode())
    slow.commit = "0" * 40

    assert [each.authored_by for each in scan(slow, ORIGIN).workflows] == [None]


def _expensive() -> Iterator[tuple[str, str]]:
    job = "job: {extends: .0, script: [!reference [.0, script]]}\n"
    parents = [", ".join(f".{n + m}" for m in range(1, 12)) for n in range(300)]
    yield "extends", "".join(f".{n}: {{extends: [{p}]}}\n" for n, p in enumerate(parents)) + job
    scripts = [", ".join([f"!reference [.{n + 1}, script]"] * 50) for n in range(12)]
    yield "references", "".join(f".{n}: {{script: [{s}]}}\n" for n, s in enumerate(scripts)) + job
    long = f".s: &s ['claude {'x' * 60_000}']\n"
    yield "scripts", long + "".join(f"j{n}: {{script: *s}}\n" for n in range(9_000))
    yield "stars", "include: '" + "*a" * 4 + "*b'\n" + job
    many = ", ".join(f"n{n}" for n in range(20_000))
    rules = ", ".join(["{if: $CI_MERGE_REQUEST_ID}"] * 5_000)
    shared = f".0: {{needs: [{many}], tags: [{many}], rules: [{rules}], script: [x]}}\n"
    yield "lists", shared + "".join(f"j{n}: {{extends: .0}}\n" for n in range(5_000))


@pytest.mark.parametrize(("kind", "text"), list(_expensive()), ids=lambda value: value[:12])
def test_a_pipeline_that_multiplies_itself_ends_soon(tmp_path: Path, kind: str, text: str) -> None:
    start = time.process_time()

    scanned(tmp_path, {".gitlab-ci.yml": text, **{"a" * 200 + f"{n}": "" for n in range(900)}})

    assert time.process_time() - start < 5


def test_a_commit_of_too_much_to_read_tells_so_in_what_was_not_read(tmp_path: Path) -> None:
    large = WORKFLOW.encode() + b"#" * (3 * 2**20)
    found = scanned(tmp_path, {f".github/workflows/{n}.yml": large for n in range(7)})

    assert [each.parse.state for each in found] == ["ok"] * 5 + ["error"] * 2
    assert found[-1].parse.error == "the repository has more to read than a scan may cost"
