"""What the values of a matrix make of the commands of a job."""

from __future__ import annotations

from tests.pipelines.providers.support import facts

PATH = ".github/workflows/ci.yml"


def test_a_task_that_a_matrix_chooses_is_run_with_each_of_its_values() -> None:
    workflow = facts(
        PATH,
        """
on: push
jobs:
  a:
    runs-on: x
    env: {other: py}
    strategy: {matrix: {of: [lint, tests], os: [linux, mac]}}
    steps:
      - run: |
          tox -e ${{ matrix.of }} -v
          tox -e ${{ matrix.none || env.other }}
          make BITS=${{ matrix.os }} test
""",
    )
    assert [(it.kind, it.text) for it in workflow.commands] == [
        ("lint", "tox -e lint -v"), ("test", "tox -e tests -v"), ("test", "tox -e py"),
        ("test", "make BITS=${{ matrix.os }} test"),
    ]  # fmt: skip
