"""Real agents whose administrator has put the hooks of docs/fleets.md on the machine: a person who
set up nothing is stopped by them."""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.agents_live.lab import CALC, Lab
from tests.agents_live.table import LIVE_AGENTS, LiveAgent
from tests.support.gates import a_budget, stored
from tests.support.stub_model import stub_model

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600), pytest.mark.usefixtures("loopback")]
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "fleets.md"
PROGRAM = Path(sys.executable).with_name("stationmaster")
FILES = {
    "claude-code": "claude-code/managed-settings.json",
    "codex": "codex/requirements.toml",
    "gemini-cli": "gemini-cli/settings.json",
    "qwen-code": "qwen-code/settings.json",
    "copilot-cli": "github-copilot/policy.d/stationmaster.json",
}
"""Where they lie below /etc, as the guide says."""
_NEEDED = ("passwd", "group", "hosts", "nsswitch.conf", "ld.so.cache")
"""Files of /etc that programs read."""
_OWN_ETC = 'mount --bind "$0" /etc && exec "$@"'


class ManagedLab(Lab):
    """A machine with an /etc of its own, which the agent alone sees."""

    def __init__(self, row: LiveAgent, folder: Path, model: object) -> None:
        super().__init__(row, folder, model)  # type: ignore[arg-type]  # a stub of a model
        self.etc, self.programs = folder / "etc", folder / "programs"
        self.etc.mkdir()
        for name in _NEEDED:
            if Path("/etc", name).exists():
                shutil.copy(Path("/etc", name), self.etc / name)
        shutil.copytree("/etc/ssl/certs", self.etc / "ssl" / "certs", symlinks=True)
        self.programs.mkdir()
        (self.programs / "stationmaster").symlink_to(PROGRAM)

    def _command(self, arguments: list[str]) -> list[str]:
        apart = ["unshare", "--mount", "sh", "-c", _OWN_ETC, str(self.etc)]
        return [*apart, *super()._command(arguments)]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        plain = super()._environment(more)
        return plain | {"PATH": f"{self.programs}:{plain['PATH']}"}


def block_of(product: str) -> str:
    """The settings that the guide shows for an agent's hooks that refuse work."""
    part = GUIDE.read_text().partition("## Hooks that refuse work")[2].partition("\n## ")[0]
    blocks = re.findall(r"```(?:json|toml)\n(.*?)```", part, re.DOTALL)
    [block] = [each for each in blocks if f"--agent {product}" in each]
    return str(block)


@pytest.mark.parametrize(
    "row", [row for row in LIVE_AGENTS if row.product in FILES], ids=lambda row: row.product
)
def test_managed_hooks_stop_whoever_set_up_nothing(row: LiveAgent, tmp_path: Path) -> None:
    with stub_model([]) as model:
        lab = ManagedLab(row, tmp_path, model)
        model.turns = lab.script()
        file = lab.etc / FILES[row.product]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block_of(row.product))
        stored(lab.home / ".stationmaster", a_budget())

        done = lab.prompt({})
        calls = [call for call in model.calls if not call.is_side]

    mark = lab.home / ".stationmaster" / "gates" / row.product
    until = time.monotonic() + 60
    while not mark.exists():
        assert time.monotonic() < until, (done.stdout[-2000:], done.stderr[-2000:])
        time.sleep(0.2)
    assert not (lab.project / "hello.py").exists()
    assert (lab.project / "calc.py").read_text() == CALC
    if row.product != "copilot-cli":
        # The one agent whose prompts cannot be refused.
        assert calls == []
