"""The wheel that a server offers: that of a release, and the same bytes every time."""

from __future__ import annotations

import base64
import csv
import io
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pytest

from stationmaster.web.frame.wheel import Builder, Wheel

ROOT = Path(__file__).resolve().parents[3]
INFO = f"stationmaster-{version('stationmaster')}.dist-info"


@pytest.fixture(scope="module")
def wheel() -> Wheel:
    return Builder().wheel()


def opened(wheel: Wheel) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(wheel.content))


def test_it_is_built_to_the_same_bytes(wheel: Wheel) -> None:
    assert Builder().wheel() == wheel


def test_its_name_is_one_that_installers_understand(wheel: Wheel) -> None:
    assert wheel.name == f"stationmaster-{version('stationmaster')}-py3-none-any.whl"


def test_it_holds_the_files_of_a_release(wheel: Wheel, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    [released] = tmp_path.glob("*.whl")

    with zipfile.ZipFile(released) as release, opened(wheel) as offered:
        assert released.name == wheel.name
        assert sorted(offered.namelist()) == sorted(release.namelist())
        for name in release.namelist():
            if name.startswith("stationmaster/") or name.endswith("/entry_points.txt"):
                assert offered.read(name).strip() == release.read(name).strip(), name


def test_its_record_names_every_file_with_its_hash_and_size(wheel: Wheel) -> None:
    with opened(wheel) as archive:
        rows = list(csv.reader(io.StringIO(archive.read(f"{INFO}/RECORD").decode())))
        assert [row[0] for row in rows] == archive.namelist()
        for path, digest, size in rows[:-1]:
            content = archive.read(path)
            hashed = base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={hashed}", len(content))
    assert rows[-1] == [f"{INFO}/RECORD", "", ""]


def test_nothing_that_an_installer_wrote_and_nothing_compiled_is_in_it(wheel: Wheel) -> None:
    names = opened(wheel).namelist()

    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert {name.removeprefix(f"{INFO}/") for name in names if name.startswith(INFO)} == {
        *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
