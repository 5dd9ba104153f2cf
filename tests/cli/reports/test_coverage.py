"""`coverage` and what `doctor` says of it, over recorded sessions."""

from __future__ import annotations

from tests.support import recordings
from tests.support.commands import command, succeed

DAYS = {"STATIONMASTER_NOW": "2026-12-07T12:00:00Z"}


def test_an_export_and_its_transcripts_agree_and_one_machine_sent_both(
    made: dict[str, str],
) -> None:
    folder = ("--data-dir", made["data"])
    succeed("ingest", recordings.ROOT / "claude-code", *folder, env=DAYS)

    found = succeed("coverage", *folder, env=DAYS)

    compared = {(each["source"], each["figure"]): each for each in found["comparisons"]}
    assert {each["difference"] for each in compared.values()} == {0}
    assert {"otlp_logs", "transcript", "otlp_metrics"} < {source for source, _ in compared}
    tokens = compared["transcript", "tokens"]
    assert (tokens["sessions"], tokens["told"]) == (5, compared["otlp_logs", "tokens"]["told"])
    people = {each["email"]: each for each in found["people"]}
    assert {who: each["state"] for who, each in people.items()} == {
        "dev@example.com": "stopped",
        "owner@localhost": "stopped",
    }
    machines = {sender["machine"] for each in people.values() for sender in each["senders"]}
    assert len(machines) == 1


def test_what_a_counter_says_beside_the_counted_is_shown_with_its_session(
    made: dict[str, str],
) -> None:
    folder = ("--data-dir", made["data"])
    succeed("ingest", recordings.ROOT / "gemini-cli", *folder, env=DAYS)

    found = succeed("coverage", *folder, "--days", "30", env=DAYS)
    table = command("coverage", *folder, env=DAYS).stdout.decode()

    off = {
        (each["source"], each["figure"]): (each["told"], each["counted"], each["share"])
        for each in found["comparisons"]
        if each["differing"]
    }
    # Refused calls in the counters are no difference; estimated tokens say so themselves.
    assert ("otlp_metrics", "tool_calls") not in off
    assert off["otlp_metrics", "files"] == (4, 5, 0.2)
    assert off["otlp_metrics", "tokens"][2] == off["otlp_traces", "tokens"][2] == 0
    assert not [source for source, _ in off if source in ("otlp_logs", "transcript")]
    assert "gemini-cli otlp_metrics" in table
    assert "20.0%" in table


def test_doctor_names_the_members_that_stopped(made: dict[str, str]) -> None:
    folder = ("--data-dir", made["data"])
    succeed("ingest", recordings.ROOT / "codex" / "transcripts", *folder, env=DAYS)
    succeed("rollup", *folder, env=DAYS)

    done = command("doctor", *folder, env=DAYS)

    shown = done.stdout.decode()
    assert done.code == 1
    assert "1 problem found:" in shown
    assert "1. default: members who sent data and stopped: owner@localhost (16 days)" in shown
    assert "Fix: `stationmaster agents verify AGENT` on their machine shows what arrives" in shown
