from __future__ import annotations

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts

FILE = """
image: [Visual Studio 2022, Ubuntu]
platform: [x86, x64]
configuration: Release
environment:
  API_KEY: {secure: abc=}
  matrix: [{PY: '3.11'}, {PY: '3.12'}]
matrix: {exclude: [{image: Ubuntu, platform: x86}]}
branches: {only: [main], except: [gh-pages]}
skip_tags: true
cache: [C:/pip -> requirements.txt]
install:
  - cmd: pip install -r requirements.txt
  - ps: Install-It $env:OTHER_TOKEN
  - ps: Test-It
test_script: [pytest]
deploy: {provider: NuGet, api_key: {secure: def=}}
artifacts: [{path: dist/*}]
"""


def test_a_file_is_one_job_as_often_as_its_lists_say() -> None:
    told = facts("appveyor.yml", FILE)

    assert told.parse == READ
    (job,) = told.jobs
    assert (job.id, job.parallel) == ("build", 7)
    assert job.runs_on == ["Visual Studio 2022", "Ubuntu"]
    assert told.secrets == ["API_KEY", "api_key", "OTHER_TOKEN"]
    assert [(step.name, step.shell, step.script or step.uses) for step in told.steps] == [
        ("install", "cmd", "pip install -r requirements.txt"),
        ("install", "ps", "Install-It $env:OTHER_TOKEN\nTest-It"),
        ("test_script", None, "pytest"),
        ("deploy", None, "deploy:NuGet"),
    ]
    assert [(each.kind, each.branches) for each in told.triggers] == [
        ("push", ["main", "!gh-pages"]), ("pull_request", ["main", "!gh-pages"])
    ]  # fmt: skip
    assert (told.caching, told.artifacts) == (["C:/pip -> requirements.txt"], ["dist/*"])


def test_a_list_has_a_job_for_each_branch() -> None:
    told = facts(".appveyor.yml", "- {branches: {only: [a]}, test_script: [x]}\n- {image: y}\n")

    assert [job.id for job in told.jobs] == ["build 1", "build 2"]
    assert [each.branches for each in told.triggers if each.kind == "push"] == [["a"], []]
