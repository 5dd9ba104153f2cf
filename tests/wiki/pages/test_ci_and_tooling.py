from stationmaster.wiki.pages.ci_and_tooling import plan
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.tooling.test_ci import BUILD, RELEASE

CONTENTS = {
    ".github/workflows/build.yml": BUILD,
    ".github/workflows/release.yml": RELEASE,
    ".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff\n    args: [--fix]\n",
    "ruff.toml": "",
    "Makefile": "lint:\n\truff check .\n",
}


def page(contents: dict[str, str]) -> str:
    facts = facts_of(contents)
    (planned,) = plan(facts)
    return written(facts, planned.write, planned.subject, planned.key)


def test_workflows_have_what_starts_them_and_what_they_do() -> None:
    told = page(CONTENTS)
    assert "Pipelines run on GitHub Actions." in told
    assert "| Build | push (main), schedule, `0 3 * * *` | lint, test |" in told
    assert "pre-commit and Ruff are set up." in told


def test_jobs_that_wait_for_each_other_are_drawn() -> None:
    assert 'n1["lint"]\n  n2["test"]\n  n1 --> n2' in page(CONTENTS)


def test_the_way_to_a_release_is_what_publishes_and_what_starts_it() -> None:
    told = page(CONTENTS)
    assert "- Release starts on push (tag v\\*):" in told
    assert "| Release | `publish` | `twine upload dist/*` |" in told
    assert "| `PYPI_TOKEN` | [`.github/workflows/release.yml`]" in told


def test_what_the_pipeline_scans_with_is_told_beside_the_linters() -> None:
    told = page({
        ".github/workflows/scan.yml": "on: push\njobs:\n  ruby:\n    runs-on: x\n    steps:\n"
        "    - run: bin/brakeman --no-pager\n    - run: bundle exec erb_lint --lint-all\n"
        "    - run: bin/importmap audit\n    - run: make build\n    - run: make test\n",
        "Gemfile": "gem 'brakeman'\n", ".rubocop.yml": "",
    })  # fmt: skip
    checks = told.partition("## Checks and formatting")[2]
    assert "```sh\nbundle exec erb_lint --lint-all\n```" in checks
    assert "| Brakeman | [`Gemfile:1`]" in checks
    assert "| `bin/brakeman --no-pager` | `ruby` | [`.github/workflows/scan.yml:6`]" in checks
    assert "| `bin/importmap audit` | `ruby` |" in checks


def test_hooks_are_told_as_they_run() -> None:
    assert "| `ruff` | `ruff --fix` | [`.pre-commit-config.yaml:4`]" in page(CONTENTS)


def test_a_repository_where_nothing_runs_by_itself_has_no_such_page() -> None:
    assert list(plan(facts_of({"a.py": "x = 1\n"}))) == []


def test_a_job_is_told_with_the_condition_under_which_alone_it_runs() -> None:
    jobs = (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: ruff check}]\n"
        "  b:\n    if: github.ref == 'main'\n    runs-on: x\n    steps: [{run: pytest}]\n"
    )
    told = page({".github/workflows/ci.yml": jobs})
    assert "| `b` | test | `x` | `github.ref == 'main'` |" in told


JOBS = """\
on: push
jobs:
  check:
    steps:
    - run: composer install
    - run: python -m tests.unit
  merge:
    needs: check
    steps:
    - if: github.ref_type == 'tag'
      run: twine upload dist/*
  image:
    needs: check
    steps:
    - if: always()
      uses: docker/build-push-action@v6
      with: {push: "${{ github.ref_type == 'tag' }}"}
  clean:
    needs: merge
    steps:
    - uses: actions/setup-node@v4
    - uses: someone/sweep@v1
"""


def test_every_job_has_a_row_with_what_it_does_or_how_its_steps_are_called() -> None:
    rows = [it for it in page({".github/workflows/a.yml": JOBS}).split("\n") if "a.yml:" in it]
    does = {it.split(" | ")[0].strip("| "): it.split(" | ")[2] for it in rows if "| `" in it[:4]}
    assert does == {
        "`check`": "test",
        "`merge`": "publish (under a condition)",
        "`image`": "build, publish (under a condition)",
        "`clean`": "someone/sweep",
    }


def test_steps_that_exclude_one_another_are_shown_with_their_conditions() -> None:
    steps = "".join(
        f"      - run: npm publish --tag {tag}\n        if: github.ref == '{tag}'\n"
        for tag in ("next", "latest")
    )
    job = f"on: push\njobs:\n  out:\n    runs-on: x\n    steps:\n{steps}"
    body = page({".github/workflows/out.yml": job})
    assert "| `npm publish --tag next` | `github.ref == 'next'` |" in body
    assert "| `npm publish --tag latest` | `github.ref == 'latest'` |" in body


def test_a_job_whose_name_a_matrix_fills_in_is_called_by_what_is_before_that() -> None:
    begin = "on: push\njobs:\n  a:\n    name: Try ${{ matrix.os }}\n"
    job = f"{begin}    runs-on: x\n    steps: [{{run: ./a.sh}}]\n"
    other = "  b:\n    runs-on: x\n    steps: [{run: bin/check-runtime.sh}]\n"
    body = page({".github/workflows/all.yml": job + other})
    assert "| `a` | Try |" in body
    assert "lint" not in body
