"""Packages from npm that tests use, each set in a folder of the user's cache, installed once."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

INSTALL_SECONDS = 40


def modules(name: str, *packages: str) -> Path:
    """`node_modules` of a folder of that name with the packages, written like `axe-core@4`.

    Skips the test without npm, or without an answer of its registry.
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "stationmaster" / name
    installed = folder / "node_modules"
    if all((installed / package.rpartition("@")[0]).exists() for package in packages):
        return installed
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-save"]
    try:
        done = subprocess.run(
            [*command, "--ignore-scripts", *packages],
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm installed nothing in {INSTALL_SECONDS} s")
    if done.returncode:
        pytest.skip(f"npm could not install {', '.join(packages)}: {done.stderr[-300:]}")
    return installed
