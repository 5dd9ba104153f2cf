"""Nothing in the repository names a machine, a person's folder or a key."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUSPECT = re.compile(
    r"(?<![\w./-])/(?:work|root|Users|farm)/"
    r"|\b(?:sm|sk|ghp|glpat|AKIA)[-_][A-Za-z0-9]{24,}"
    r"|BEGIN [A-Z ]*PRIVATE KEY"
)
MAY_MENTION = {"tests/tidy/test_secrets.py"}


def test_no_tracked_text_file_holds_a_machine_path_or_a_key() -> None:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    found = []
    for name in filter(None, names):
        path = ROOT / name
        if name in MAY_MENTION or not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        if name.startswith(("examples/recordings/", "examples/versions/")):
            continue  # Recorded bytes hold agent names such as /root, and ids of every form.
        found += [f"{name}: {hit[0]}" for hit in SUSPECT.finditer(data.decode(errors="replace"))]

    assert found == []
