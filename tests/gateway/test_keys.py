"""Keys are in no list of processes, and in no error of a command."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import httpx
import psutil
import pytest

from stationmaster.cli.configuring import check_key
from stationmaster.client import unreachable
from stationmaster.errors import BadRequest
from tests.gateway.test_budgets import PATHS, body, until
from tests.support.commands import command
from tests.support.gateways import PROVIDER_KEY, Installation
from tests.support.processes import PROGRAM, ServerProcess
from tests.support.raw_provider import raw_provider

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    block
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
]


def shown() -> str:
    """What a list of processes can show of those that this test has started."""
    children = psutil.Process().children(recursive=True)
    return "".join(f"{each.cmdline()} {each.environ()}" for each in children)


@pytest.mark.slow
def test_a_gateway_that_passes_calls_shows_no_key(apart: Installation) -> None:
    gateway = ServerProcess(apart.settings.data_dir, command="gateway")
    with raw_provider() as provider:
        apart.provider("anthropic", "anthropic", provider.url)
        provider.answer(b'{"usage":{"input_tokens":10,"output_tokens":1}}')
        gateway.start()
        try:
            answer = httpx.post(
                f"{gateway.url}{PATHS['anthropic']}", json=body(), headers={"x-api-key": apart.key}
            )
            assert answer.status_code == 200
            assert provider.requests[0].fields["x-api-key"] == PROVIDER_KEY
            listed = shown()
        finally:
            gateway.stop()

    assert str(gateway.port) in listed
    assert PROVIDER_KEY not in listed
    assert apart.key not in listed


@pytest.mark.slow
def test_a_provider_is_registered_with_a_key_that_only_its_pipe_has(apart: Installation) -> None:
    words = ("gateway", "providers", "add", "eu", "--kind", "anthropic", "--key-file", "-")
    place = ("--url", "https://eu.example.com", "--data-dir", str(apart.settings.data_dir))
    with subprocess.Popen(
        [*PROGRAM, *words, *place], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        process.stdin.write(PROVIDER_KEY)
        process.stdin.flush()
        # It waits for the end of its standard input.
        until(lambda: "--key-file" in shown())
        listed = shown()
        _, said = process.communicate()

    assert process.returncode == 0
    assert PROVIDER_KEY not in listed + said


def test_no_documented_command_has_a_key_among_its_arguments() -> None:
    ours = [line for script in SCRIPTS for line in script.splitlines() if "stationmaster " in line]

    assert ours
    assert [line for line in ours if re.search(r"stationmaster .*(--key[ =]|\$KEY\b)", line)] == []


@pytest.mark.parametrize(
    "key", ["sm_SECRET\nmore", "sm_SECRÉT", "sm_SECRET\x01", "Bearer sm_SECRET"]
)
def test_what_is_no_key_is_refused_without_being_quoted(key: str) -> None:
    done = command("limits", "effective", "--url", "http://127.0.0.1:9", "--key", key)

    assert done.code != 0
    assert "not one API key" in done.error
    assert "SEC" not in done.stderr
    with pytest.raises(BadRequest):
        check_key(key)


@pytest.mark.parametrize("key", ["sm_SECRET\nmore", "sm_SECRÉT"])
def test_a_key_that_no_request_can_carry_is_not_in_the_reason(key: str) -> None:
    with pytest.raises((httpx.HTTPError, UnicodeEncodeError)) as fault:
        httpx.get("http://127.0.0.1:9", headers={"authorization": f"Bearer {key}"})

    assert "SEC" not in unreachable.reason(fault.value)
