"""What this machine's `ssh` is told about computers."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from stationmaster.client.relay import login
from stationmaster.client.relay.login import Login

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    own = Login(tmp_path)
    assert own.public_key() == own.public_key()
    assert own.public_key().startswith("ssh-ed25519 ")
    files = [tmp_path / "ssh", tmp_path / "ssh" / "id_ed25519"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o700, 0o600]


def test_only_the_newest_keys_of_a_computer_are_known(tmp_path: Path) -> None:
    own = Login(tmp_path)
    own.public_key()
    own.know("cmp_a", [f"{KEY}1"])
    own.know("cmp_b", [f"{KEY}2"])
    own.know("cmp_a", [f"{KEY}3", f"{KEY}4"])
    assert (tmp_path / "ssh" / "known_hosts").read_text().splitlines() == [
        f"cmp_b {KEY}2",
        f"cmp_a {KEY}3",
        f"cmp_a {KEY}4",
    ]


@pytest.mark.parametrize("folder", ["plain", "with spaces", "100%d"])
def test_ssh_reads_the_entry_as_it_is_meant(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    config = tmp_path / "config"
    login.install(config, [Login(tmp_path / folder).block("sm-build", "cmp_a", "dev")])

    asked = subprocess.run(
        ["ssh", "-G", "-F", str(config), "sm-build"], capture_output=True, text=True, check=True
    )
    said = dict(line.split(" ", 1) for line in asked.stdout.splitlines() if " " in line)
    assert (said["user"], said["hostname"], said["hostkeyalias"]) == ("dev", "cmp_a", "cmp_a")
    assert said["stricthostkeychecking"] == "true"
    assert said["identityfile"].replace("%%", "%") == str(tmp_path / folder / "ssh" / "id_ed25519")
    assert said["proxycommand"].endswith("computers ssh --proxy cmp_a")


def test_entries_stand_between_marks_and_leave_the_rest_alone(tmp_path: Path) -> None:
    config = tmp_path / ".ssh" / "config"
    login.install(config, ["Host sm-a"])
    config.write_text(config.read_text() + "Host mine\n  User me\n")
    login.install(config, ["Host sm-a", "Host sm-b"])
    assert config.read_text().count("# stationmaster computers") == 2
    assert config.read_text().index("Host sm-b") < config.read_text().index("Host mine")

    login.install(config, [])
    assert config.read_text() == "Host mine\n  User me\n"
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
