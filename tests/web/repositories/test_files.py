"""A file's lines at a commit in a browser: the cited ones marked, bounded, and as text."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Role
from stationmaster.db.engine import Database
from stationmaster.ids import RepoId
from stationmaster.repos import store
from stationmaster.repos.model import Head
from stationmaster.wiki import source_files
from tests.support.builders import an_organization
from tests.support.repositories import Repository
from tests.web.conftest import Office
from tests.web.repositories.test_listing import HOSTILE, registered

NAME = f"src/{HOSTILE.replace('/', '-')}.py"
FILES = {
    NAME: "".join(f"line {number} {HOSTILE}\n" for number in range(1, 1001)),
    "app.py": f"token = 'ghp_{'0123456789' * 4}'\nprint(1)\n",
    ".env": "PASSWORD=hunter22\n",
    "picture.png": b"\x89PNG\0",
    "long.txt": "x" * 5_000 + "\n",
    "large.txt": "x\n" * 600_000,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, str, str]:
    """A repository, a commit with FILES, and the one after it with another content of NAME."""
    repository = Repository(tmp_path_factory.mktemp("git") / "a", "main", "--bare")
    first = repository.commit(FILES)
    return repository, first, repository.commit({NAME: "rewritten\n"})


@pytest.fixture
def mirrored(office: Office, owner: str, made: tuple[Repository, str, str]) -> tuple[RepoId, str]:
    """A registered repository that was fetched, and the commit before its newest one."""
    services, repo = office.server.services, registered(office, owner)
    made[0].mirror(services.settings, office.org, repo)
    with services.db.transaction() as connection:
        store.set_fetched(connection, office.org, repo, Head(made[2], "main"), 1)
    return repo, made[1]


def test_the_cited_lines_are_marked_at_the_commit_that_is_cited(
    office: Office, owner: str, mirrored: tuple[RepoId, str]
) -> None:
    repo, commit = mirrored
    asked = {"commit": commit, "path": NAME, "lines": "500-502"}
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/repositories/{repo}/files", params=asked)
        newest = visitor.get(f"/repositories/{repo}/files", params={"path": NAME})

    assert page.status_code == 200, page.text
    assert page.text.count("<mark>") == 3
    assert "<mark>line 501 &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text
    assert f"Lines 460 to {459 + source_files.LINES_MAX} of 1000" in page.text
    assert "Lines before" in page.text
    assert "Lines after" in page.text
    assert "Lines 1 to 1 of 1 " in newest.text


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        (".env", 409, "may contain secrets"),
        ("picture.png", 409, "not text"),
        ("large.txt", 413, "larger than"),
        ("src", 404, "no such file"),
        ("../../etc/passwd", 404, "no such file"),
        (":(glob)**", 404, "no such file"),
        ("", 404, "no such file"),
    ],
)
def test_what_is_no_file_to_show_is_an_error_page(
    office: Office, owner: str, mirrored: tuple[RepoId, str], path: str, status: int, words: str
) -> None:
    repo, commit = mirrored
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/repositories/{repo}/files", params={"commit": commit, "path": path})

    assert page.status_code == status
    assert words in page.text


def test_secrets_are_masked_and_long_lines_cut(
    office: Office, owner: str, mirrored: tuple[RepoId, str]
) -> None:
    repo, commit = mirrored
    with office.visitor(owner) as visitor:
        masked = visitor.get(
            f"/repositories/{repo}/files", params={"commit": commit, "path": "app.py"}
        ).text
        cut = visitor.get(
            f"/repositories/{repo}/files", params={"commit": commit, "path": "long.txt"}
        ).text

    assert "ghp_" not in masked
    assert "REDACTED" in masked
    assert "x" * source_files.LINE_MAX + "…" in cut


@pytest.mark.parametrize(("role", "status"), [("member", 200), ("guest", 403)])
def test_members_read_files_as_by_the_api(
    office: Office, mirrored: tuple[RepoId, str], role: Role, status: int
) -> None:
    repo, commit = mirrored
    asked = {"commit": commit, "path": "app.py"}
    with office.visitor(office.person(role)) as visitor:
        assert visitor.get(f"/repositories/{repo}/files", params=asked).status_code == status


def test_files_of_another_organization_are_none(
    office: Office, mirrored: tuple[RepoId, str]
) -> None:
    repo, commit = mirrored
    db: Database = office.server.services.db
    other = Office(office.server, an_organization(db, "Initech"))
    with other.visitor(other.person("owner", "eve@example.com")) as visitor:
        asked = {"commit": commit, "path": "app.py"}
        assert visitor.get(f"/repositories/{repo}/files", params=asked).status_code == 404


def test_a_commit_that_is_not_here_is_said_to_be_missing(
    office: Office, owner: str, mirrored: tuple[RepoId, str]
) -> None:
    asked = {"commit": "0" * 40, "path": "app.py"}
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/repositories/{mirrored[0]}/files", params=asked)
    assert page.status_code == 404
    assert "not in the copy" in page.text
