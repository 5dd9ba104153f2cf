"""The page that says how to install the client, and its download."""

from __future__ import annotations

import base64
import csv
import io
import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

from stationmaster.web.install import Builder, Wheel
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for
from tests.web.conftest import Office


def wheels(page: httpx.Response) -> set[str]:
    """Every address of a wheel that a page tells people to install."""
    return set(re.findall(r"install (http[^<]+\.whl)<", page.text))


def test_a_stranger_sees_one_line_for_each_installer(server: Server) -> None:
    with server.client() as visitor:
        page = visitor.get("/install")

    assert page.status_code == 200
    [address] = wheels(page)
    assert f"<code>uv tool install {address}</code>" in page.text
    assert f"<code>pipx install {address}</code>" in page.text
    assert address.startswith(f"{server.url}/install/")
    assert httpx.get(address, timeout=PATIENCE_S).status_code == 200


def test_the_page_names_the_address_by_which_it_was_reached(server: Server) -> None:
    with server.client() as visitor:
        page = visitor.get("/install", headers={"host": "station.example:8443"})

    assert {w.rpartition("/")[0] for w in wheels(page)} == {"http://station.example:8443/install"}


@pytest.mark.parametrize("host", ["a;reboot", "a$(reboot)", "<script>", "a b", "a/b"])
def test_no_line_holds_a_host_that_a_shell_would_run(server: Server, host: str) -> None:
    with server.client() as visitor:
        page = visitor.get("/install", headers={"host": host})

    assert {w.rpartition("/")[0] for w in wheels(page)} <= {
        f"{server.settings.app_address}/install"
    }


def test_the_address_of_the_settings_wins(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", app_url="https://station.example")
    with running_server(settings) as server, server.client() as visitor:
        page = visitor.get("/install")

    assert {w.rpartition("/")[0] for w in wheels(page)} == {"https://station.example/install"}


def test_the_wheel_is_kept_by_caches_and_not_sent_again(office: Office) -> None:
    with office.visitor() as visitor:
        [address] = wheels(visitor.get("/install"))
        first = visitor.get(address)
        again = visitor.get(address, headers={"if-none-match": first.headers["etag"]})
        head = visitor.head(address)

    assert first.headers["cache-control"].startswith("public")
    assert (again.status_code, again.content) == (304, b"")
    assert head.headers["content-length"] == str(len(first.content))


@pytest.mark.parametrize("name", ["stationmaster-9.9.9-py3-none-any.whl", "x.whl", "..%2Fsetup"])
def test_any_other_file_is_not_there(server: Server, name: str) -> None:
    with server.client() as visitor:
        assert visitor.get(f"/install/{name}").status_code == 404


ROOT = Path(__file__).resolve().parents[2]
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
