"""A child process gives its function's answer, or exceeds a limit and is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from stationmaster.children import process, worker
from stationmaster.children.calling import ChildError, call
from stationmaster.children.limits import Limits
from stationmaster.errors import Conflict, TooLarge, Unavailable
from tests.children import work
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
LIMITS = Limits(cpu_s=20, wall_s=60, memory=2**30)
pytestmark = pytest.mark.attack


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


class Enough(Exception):
    """What a caller raises that wants no answer any more."""


def test_the_answer_is_what_the_function_returns() -> None:
    assert call(LIMITS, work.add, 1, 2, ("a", "b")) == work.Sum(3, ("a", "b"))


def test_a_process_that_was_prepared_answers_the_next_call_with_what_it_loaded() -> None:
    with process.preparing(worker.__name__, "no.such.module", work.__name__):
        prepared = process._Here.prepared
        assert prepared is not None
        assert call(LIMITS, work.add, 1, 2, ("a",)) == work.Sum(3, ("a",))
        assert process._Here.prepared is None
    assert prepared.returncode is not None


def test_a_process_that_nobody_asks_ends_with_its_input_and_behind_the_block() -> None:
    with process.preparing(worker.__name__):
        left = process._Here.prepared
        assert left is not None
    assert (left.returncode, process.prepared()) == (-signal.SIGKILL, None)
    with process.preparing(worker.__name__):
        prepared = process.prepared()
    assert prepared is not None
    process.close((prepared.stdin, prepared.stdout))
    assert prepared.wait(PATIENCE_S) == 0


def test_large_arguments_and_answers_pass() -> None:
    name = "x" * (5 * 2**20)
    assert call(LIMITS, work.add, 1, 2, (name,)).names == (name,)


def test_a_child_knows_no_variable_that_could_hold_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STATIONMASTER_SECRET_KEY", "marked")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "marked")
    known = call(LIMITS, work.variables)
    assert "marked" not in known.values()
    assert "PATH" in known


def test_progress_is_told_in_its_order() -> None:
    told: list[tuple[str, int, int]] = []
    call(LIMITS, work.count, 3, report=lambda *each: told.append(each))
    assert told == [("counting", number, 3) for number in range(3)]


def test_errors_of_ours_are_raised_again() -> None:
    with pytest.raises(Conflict) as fault:
        call(LIMITS, work.refuse)
    assert (fault.value.code, fault.value.detail) == ("damaged", "It is damaged.")
    assert fault.value.metadata == {"line": 3}


def test_other_errors_bring_their_traceback() -> None:
    with pytest.raises(ChildError, match="KeyError: 'unexpected'"):
        call(LIMITS, work.fail)


@pytest.mark.parametrize(
    ("limits", "function", "given", "name"),
    [
        (Limits(cpu_s=1), work.backtrack, (), "cpu_s"),
        (Limits(wall_s=1), work.sleep, (), "wall_s"),
        (Limits(memory=400 * 2**20), work.allocate, (), "memory"),
        (Limits(answer_size=2**20), work.answer, (2**21,), "answer_size"),
        (Limits(file_size=2**20), work.write, (2**21,), "file_size"),
    ],
)
def test_a_limit_ends_the_work_by_name(
    limits: Limits, function: object, given: tuple[int, ...], name: str
) -> None:
    began = time.monotonic()
    with pytest.raises(TooLarge) as fault:
        call(limits, function, *given)  # type: ignore[arg-type]  # what the case gives
    assert fault.value.code == "reader_limit"
    assert fault.value.metadata == {"limit": name, "max": getattr(limits, name)}
    assert time.monotonic() - began < 30


def test_a_crash_is_no_fault_of_this_process() -> None:
    with pytest.raises(TooLarge) as fault:
        call(LIMITS, work.crash)
    assert fault.value.code == "reader_crashed"


def test_a_child_that_somebody_killed_may_be_tried_again() -> None:
    with pytest.raises(Unavailable) as fault:
        call(LIMITS, work.die)
    assert fault.value.code == "reader_ended"


def test_who_needs_the_answer_no_more_ends_the_child_and_all_that_it_started(
    tmp_path: Path,
) -> None:
    note = tmp_path / "ids"

    def look() -> None:
        if note.exists():
            raise Enough

    with pytest.raises(Enough):
        call(LIMITS, work.start_others, str(note), look=look)
    _assert_gone(note)


def test_a_parent_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    note = tmp_path / "ids"
    program = (
        "from stationmaster.children.calling import call\n"
        "from stationmaster.children.limits import Limits\n"
        "from tests.children import work\n"
        f"call(Limits(cpu_s=60), work.start_others, {str(note)!r})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program])
    try:
        _wait_for(note)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    _assert_gone(note)


def _wait_for(file: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


def _assert_gone(note: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    living = {int(number) for number in note.read_text().split()}
    assert os.getpid() not in living
    while living := {number for number in living if _is_alive(number)}:
        assert time.monotonic() < until, living
        time.sleep(0.02)


def _is_alive(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
