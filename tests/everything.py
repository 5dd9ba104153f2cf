"""Runs all tests in parallel, then those that failed once more, alone: `make test-all`.

A machine that is busy can make a test fail that is right, and a test that fails only now and then
must be seen. What passes alone is therefore listed as unstable, with its first failure, and what
fails again fails the run. So does a run that ended early: a worker that crashed, an interruption.
"""

from __future__ import annotations

import sys

import pytest

AGAIN_MAX = 10
"""Above this many failures the tests are wrong and not the moment; nothing is run again."""


class Failures:
    """A plugin of pytest that keeps the first failure of each test, and whether a worker died."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.has_crash = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.texts.setdefault(report.nodeid, report.longreprtext)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        self.has_crash = self.has_crash or error is not None


def run(arguments: list[str]) -> int:
    """The exit status of pytest with these arguments; 0 when all that failed passed alone."""
    first = Failures()
    status = pytest.main(arguments, plugins=[first])
    # Without a failed test, the tests themselves could not be collected.
    is_worth_another = 0 < len(first.texts) <= AGAIN_MAX and not first.has_crash
    if status != pytest.ExitCode.TESTS_FAILED or not is_worth_another:
        return status
    _say(f"{len(first.texts)} failed. Once more, alone:")
    second = Failures()
    status = pytest.main([*first.texts, "-v"], plugins=[second])
    unstable = first.texts.keys() - second.texts.keys()
    if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        _say(_list({test: first.texts[test] for test in sorted(unstable)}))
    return status


def _list(unstable: dict[str, str]) -> str:
    """The tests that passed alone, each with its first failure."""
    title = f"unstable: {len(unstable)} failed beside other tests and passed alone"
    parts = [f"{test}\n\n{failure}\n" for test, failure in unstable.items()]
    return "\n".join([f"{f' {title} ':=^100}\n", *parts])


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
