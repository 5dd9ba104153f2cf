"""What `make test-all` makes of failures: run once more alone, listed, or red."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.everything import AGAIN_MAX

ROOT = Path(__file__).resolve().parents[1]
FAILS_ONCE = """
    from pathlib import Path
    if not (flag := Path(__file__).with_suffix(".flag")).exists():
        flag.touch()
        raise AssertionError("the machine was busy")
"""


def everything(folder: Path, *arguments: str, **tests: str) -> tuple[int, str]:
    """The exit status and the output of a run of tests with these names and bodies."""
    source = "\n".join(f"def test_{name}():\n    {body}\n" for name, body in tests.items())
    (folder / "test_sample.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    done = subprocess.run(
        [sys.executable, "-m", "tests.everything", "--rootdir", folder, *arguments, folder],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


def test_what_passes_alone_is_listed_as_unstable_with_its_first_failure(tmp_path: Path) -> None:
    status, output = everything(tmp_path, busy=FAILS_ONCE, right="pass")

    assert status == 0
    _, unstable = output.split("unstable: 1 failed beside other tests and passed alone")
    assert "test_sample.py::test_busy\n" in unstable
    assert "AssertionError: the machine was busy" in unstable
    assert "test_right" not in unstable


def test_what_fails_again_fails_the_run(tmp_path: Path) -> None:
    status, output = everything(tmp_path, busy=FAILS_ONCE, wrong="assert False")

    assert status == 1
    _, unstable = output.split("unstable: 1 failed beside other tests and passed alone")
    assert "test_sample.py::test_wrong" not in unstable


def test_a_run_in_which_nothing_failed_ends_as_pytest_ends_it(tmp_path: Path) -> None:
    status, output = everything(tmp_path, right="pass")

    assert status == 0
    assert "unstable" not in output


def test_more_failures_than_a_busy_machine_causes_are_not_run_again(tmp_path: Path) -> None:
    wrong = {f"wrong_{number}": "assert False" for number in range(AGAIN_MAX + 1)}

    status, output = everything(tmp_path, **wrong)

    assert status == 1
    assert "Once more" not in output


def test_a_worker_that_crashed_fails_the_run(tmp_path: Path) -> None:
    crash = "import os; os._exit(3)"

    status, output = everything(tmp_path, "-n1", "--max-worker-restart=0", crash=crash)

    assert status == 1
    assert "Once more" not in output
