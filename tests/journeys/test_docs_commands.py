"""What the documentation tells people to type works as it stands there.

A block fenced as `sh` is run; one fenced without a language is not. Those of the README run as a
newcomer runs them, those of the pages with the program in this process.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path

import pytest

from stationmaster.settings import Settings
from tests.support import processes, sessions
from tests.support.commands import succeed
from tests.support.scripts import run_script
from tests.support.servers import running_server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if "```sh\n" in page.read_text()]
BINARIES = Path(sys.executable).parent
AUTHOR = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


PRICES = '{"glm-5.3-flash": {"litellm_provider": "zai", "input_cost_per_token": 1.5e-7}}'
"""A list of prices in LiteLLM's form, as a person has fetched one."""


def day(days_ago: int) -> str:
    return str(datetime.now(UTC).date() - timedelta(days=days_ago))


def _environment(folder: Path) -> dict[str, str]:
    """A person's: the program on PATH, a home folder with a session of yesterday."""
    session = sessions.a_session(folder / "home")
    session.write_text(session.read_text().replace(sessions.DAY, day(1)))
    kept = {name: v for name, v in os.environ.items() if not name.startswith("STATIONMASTER_")}
    return {
        **kept,
        "PATH": f"{BINARIES}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        # Commands that run in this process know its own home folder.
        "STATIONMASTER_CLIENT_DIR": str(folder / "home" / ".stationmaster"),
        "FROM": day(7),
        "TO": day(1),
    }


@contextmanager
def _a_server(folder: Path) -> Iterator[dict[str, str]]:
    """A server on the data folder that commands find by themselves; its address and key."""
    data = folder / "stationmaster-data"
    key = succeed("init", "--data-dir", data)["api_key"]
    with running_server(Settings(data_dir=data), with_worker=True) as server:
        yield {"URL": server.url, "KEY": key}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_shell_block_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    environment = _environment(tmp_path)
    (tmp_path / "prices.json").write_text(PRICES)
    with _a_server(tmp_path) as offered:
        done = [run_script(each, tmp_path, environment | offered) for each in blocks(page, "sh")]

    assert [each.stderr for each in done if each.returncode != 0] == []
    assert all("Traceback" not in each.stderr for each in done)


def test_the_example_of_a_cap_ends_in_the_refusal_that_the_page_shows(tmp_path: Path) -> None:
    page, port = ROOT / "docs" / "gateway.md", processes.free_port()
    [script] = blocks(page, "bash")
    key = succeed("init", "--data-dir", tmp_path / "stationmaster-data")["api_key"]
    own = {"STATIONMASTER_GATEWAY_PORT": str(port), "KEY": key}

    done = subprocess.run(
        ["sh", "-eu", "-c", script.replace(":8701", f":{port}")],
        cwd=tmp_path, env=_environment(tmp_path) | own, capture_output=True, text=True, timeout=120,
    )  # fmt: skip

    [expected] = re.findall(r'^{"type":"error".*}$', page.read_text(), re.MULTILINE)
    said, shown = (
        re.sub(r"budget_\w+|budget_…|\d{4}-\d\d-\d\d", "-", text)
        for text in (done.stdout, expected)
    )
    assert said == shown, done.stderr
    assert "Traceback" not in done.stderr


def test_the_blocks_of_the_readme_run_in_order_in_a_clean_home(tmp_path: Path) -> None:
    port = processes.free_port()
    environment = _environment(tmp_path) | {"STATIONMASTER_PORT": str(port)}
    _clone(tmp_path)
    done = []

    with ExitStack() as running:
        for script in blocks(ROOT / "README.md", "sh"):
            if script == "stationmaster up\n":
                running.enter_context(_up(tmp_path, environment))
            else:
                script = script.replace("127.0.0.1:8700", f"127.0.0.1:{port}")
                done.append(run_script(script, tmp_path, environment))
                assert done[-1].returncode == 0, done[-1].stderr

    first, second, _ = done
    assert "shown once" in first.stderr
    assert "claude-code" in first.stderr
    assert day(1) in first.stdout
    assert f"http://127.0.0.1:{port}/join/" in second.stdout
    assert "Restart claude-code" in second.stderr
    assert "good" in second.stdout
    assert "BAD" not in second.stdout
    assert (tmp_path / "home" / ".claude" / "settings.json").exists()
    assert (tmp_path / "wiki" / "index.md").exists()
    assert all("Traceback" not in each.stderr for each in done)


def _clone(folder: Path) -> None:
    """A repository with the environment that `make` leaves, and a service manager that obeys."""
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "README.md").write_text("# Shop\n")
    for arguments in (["init", "-q"], ["add", "README.md"], [*AUTHOR, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    for name in ("systemctl", "launchctl"):
        (folder / ".bin").mkdir(exist_ok=True)
        (folder / ".bin" / name).write_text("#!/bin/sh\n")
        (folder / ".bin" / name).chmod(0o755)


@contextmanager
def _up(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """`stationmaster up` in a terminal of its own, until Ctrl-C."""
    with subprocess.Popen(
        [*processes.PROGRAM, "up"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        try:
            said = list(takewhile(lambda line: not line.startswith("Install"), server.stderr))
            assert any(line.startswith("Sign in: ") for line in said), said
            yield
        finally:
            server.send_signal(signal.SIGINT)
            server.stderr.read()


def test_the_settings_of_agents_are_well_formed() -> None:
    page = ROOT / "docs" / "agents.md"
    claude, *_ = [json.loads(block) for block in blocks(page, "json")]
    [codex] = [tomllib.loads(block) for block in blocks(page, "toml")]

    assert claude["env"]["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://127.0.0.1:8700"
    for exporter, signal_path in (("exporter", "logs"), ("metrics_exporter", "metrics")):
        sent = codex["otel"][exporter]["otlp-http"]
        assert sent["endpoint"] == f"http://127.0.0.1:8700/v1/{signal_path}"
        assert sent["headers"] == {"Authorization": "Bearer YOUR_KEY"}
