from __future__ import annotations

from stationmaster.pipelines.model import READ, Place
from tests.pipelines.providers.support import facts

PIPELINES = """
image: {name: 'node:22.1.0'}
options: {max-time: 30}
definitions:
  services: {db: {image: 'postgres:16'}}
  steps:
    - step: &test
        name: Test
        services: [db, docker]
        caches: [node]
        script:
          - npm ci
          - npm test
        artifacts: [out/**]
pipelines:
  default:
    - step: *test
  pull-requests:
    '**': [{step: *test}]
  branches:
    main:
      - parallel:
          steps: [{step: *test}, {step: {script: [npm run lint], max-time: 5}}]
      - stage:
          name: Ship
          steps:
            - step:
                name: Deploy
                deployment: production
                trigger: manual
                oidc: true
                runs-on: [self.hosted, linux]
                size: 2x
                script:
                  - pipe: atlassian/aws-s3-deploy:1.2.0
                    variables: {KEY: $AWS_SECRET_ACCESS_KEY}
                  - pipe: 'docker://acme/notify:latest'
  tags: {'v*': {import: 'shared:main:release'}}
  custom: {nightly: [{variables: [{name: X}]}, {step: {script: [make e2e]}}]}
"""


def test_each_way_to_start_has_its_steps() -> None:
    told = facts("bitbucket-pipelines.yml", PIPELINES)

    assert (told.parse, told.oidc, told.server_schedules) == (READ, True, True)
    assert [(each.kind, each.branches, each.tags, each.types) for each in told.triggers] == [
        ("push", [], [], []), ("push", ["main"], [], []), ("tag", [], ["v*"], []),
        ("pull_request", [], [], []), ("manual", [], [], ["nightly"]),
    ]  # fmt: skip
    assert [(job.id, job.timeout_minutes) for job in told.jobs] == [
        ("default/Test", 30), ("branches.main/Test", 30), ("branches.main/step 2", 5),
        ("branches.main/Deploy", 30), ("pull-requests.**/Test", 30), ("custom.nightly/step 1", 30),
    ]  # fmt: skip
    test, ship = told.jobs[0], told.jobs[3]
    assert (test.image, test.services) == ("node:22.1.0", ["postgres:16", "docker"])
    assert (ship.stage, ship.environment, ship.condition) == ("Ship", "production", "manual")
    assert ship.runs_on == ["self.hosted", "linux", "2x"]
    assert ship.secrets == told.secrets == ["AWS_SECRET_ACCESS_KEY"]
    assert (told.caching, told.artifacts) == (["node"], ["out/**"])
    assert (told.steps[0].script, told.steps[0].script_at) == ("npm ci\nnpm test", Place(12, 13))


def test_pipes_are_used_with_their_versions() -> None:
    told = facts("bitbucket-pipelines.yml", PIPELINES)

    assert [(use.reference, use.pin, use.first_party) for use in told.uses] == [
        ("atlassian/aws-s3-deploy:1.2.0", "exact", True),
        ("docker://acme/notify:latest", "branch", False),
    ]
    assert "acme/notify:latest" in [each.reference for each in told.images]


def test_pipelines_of_other_repositories_are_not_resolved() -> None:
    told = facts("bitbucket-pipelines.yml", PIPELINES)

    assert [(each.location, each.resolved, each.pin) for each in told.includes] == [
        ("shared:main:release", False, "branch")
    ]
    assert told.jobs_unknown
