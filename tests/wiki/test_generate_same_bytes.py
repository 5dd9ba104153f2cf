"""The same commit gives the same bytes, wherever and however it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from stationmaster.reading.code import pool
from stationmaster.repos.reading import open_path
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making.generate import generate
from stationmaster.wiki.making.memo import Kept, Memory, Nothing
from stationmaster.wiki.making.written import Written
from tests.support.repositories import SECONDS, Content, Repository

FIRST: Mapping[str, Content] = {
    "README.md": "# Shop\n\nSells things.\n",
    "pyproject.toml": "[project]\nname = 'shop'\ndependencies = ['flask']\n",
    "shop/__init__.py": "from shop.cart import add\n",
    "shop/cart.py": '"""The cart."""\nimport os\n\n\ndef add(item: str) -> str:\n'
                    '    return os.environ["SHOP"] + item\n',
    "shop/mail/send.py": "from shop import cart\n\n\nclass A:\n    def send(self): cart.add()\n",
    "web/index.ts": "import { a } from './a';\nexport function main() { a(); }\n",
    "web/a.ts": "export const a = () => 1;\n",
    "tests/test_cart.py": "from shop.cart import add\n\n\ndef test_add(): add('x')\n",
}  # fmt: skip
STEPS: tuple[Mapping[str, Content], ...] = (
    {"shop/cart.py": "def add(item): return item\n\n\ndef drop(): ...\n"},
    {"shop/mail/send.py": None, "shop/post/send.py": FIRST["shop/mail/send.py"]},
    {"shop/cart.py": None, "shop/basket.py": "def add(): ...\n", "README.md": "# Other\n"},
    {"docs/adr/0001-first.md": "# First\n", ".gitattributes": "web/** binary\n"},
    {".gitattributes": None, "web/b.ts": "import './a'; // TODO: more\n"},
)  # fmt: skip
SCRIPT = """
import sys
from pathlib import Path
from tests.wiki.test_generate_same_bytes import pages
from stationmaster.wiki.making.memo import Nothing
import msgspec
sys.stdout.buffer.write(msgspec.msgpack.encode(pages(Path(sys.argv[1]), Nothing())))
"""


def pages(path: Path, memory: Memory) -> tuple[Written, ...]:
    with open_path(path) as snapshot:
        commit = Commit(snapshot.commit, snapshot.committed_at, "main", None, "shop")
        return generate(snapshot, commit, memory).pages


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "one")
    made.commit(FIRST)
    return made


def test_hash_seed_path_time_zone_and_locale_change_nothing(
    repository: Repository, tmp_path: Path
) -> None:
    other = tmp_path / "another place" / "deeper"
    other.parent.mkdir()
    subprocess.run(["git", "clone", "-q", "--bare", repository.path, other], check=True)
    told = set()
    for seed, zone, path in (("1", "UTC", repository.path), ("2", "Asia/Tokyo", other)):
        env = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C.UTF-8" if seed == "1"
                            else "C"}  # fmt: skip
        command = [sys.executable, "-c", SCRIPT, str(path)]
        told.add(subprocess.run(command, env=env, check=True, capture_output=True).stdout)
    assert len(told) == 1


def test_one_process_or_two_change_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_WORKERS_MAX", 1)
    one = pages(repository.path, Nothing())
    monkeypatch.setattr(pool, "_WORKERS_MAX", 2)
    assert pages(repository.path, Nothing()) == one


def test_a_refresh_is_a_rebuild_over_renames_deletes_and_a_merge(
    repository: Repository, tmp_path: Path
) -> None:
    memory = tmp_path / "memory.db"
    with Kept(memory) as kept:
        assert pages(repository.path, kept) == pages(repository.path, Nothing())
    for number, step in enumerate(STEPS, 1):
        repository.commit(step, at=SECONDS + number * 86_400)
        if number == 3:
            repository.git("branch", "side", "HEAD~1")
            repository.commit({"side.py": "x = 1\n"}, branch="side", at=SECONDS + 300_000)
            tree = repository.git("merge-tree", "--write-tree", "main", "side").split("\n")[0]
            merge = repository.git("commit-tree", tree, "-p", "main", "-p", "side", "-m", "merge")
            repository.git("update-ref", "refs/heads/main", merge)
        with Kept(memory) as kept:
            told = pages(repository.path, kept)
        assert told == pages(repository.path, Nothing())
