from __future__ import annotations

from pathlib import Path

from tests.pipelines.commits import Scanned, only


def test_the_steps_of_a_cloud_build_are_its_jobs(tmp_path: Path) -> None:
    scanned = Scanned(
        tmp_path,
        {
            "app/cloudbuild.yaml": """
timeout: 1200s
steps:
  - name: gcr.io/cloud-builders/docker
    args: [build, -t, x, .]
  - id: test
    name: golang:1.26
    waitFor: ["-"]
    script: |
      go test ./...
    secretEnv: [TOKEN]
options: {pool: {name: projects/p/workers}}
availableSecrets:
  secretManager: [{versionName: projects/p/secrets/s/versions/1, env: TOKEN}]
images: [gcr.io/p/x]
""",
            "cloudbuild.json": '{\n\t"steps": ['
            '{"name": "n:22", "entrypoint": "npm", "args": ["ci"]}]}',
            "cloudbuild-values.yaml": "a: b\n",
        },
    )
    facts = scanned.facts["app/cloudbuild.yaml"]

    assert list(scanned.facts) == ["app/cloudbuild.yaml", "cloudbuild.json"]
    assert [(job.id, job.image, job.timeout_minutes, job.runs_on) for job in facts.jobs] == [
        ("step 1", "gcr.io/cloud-builders/docker", 20, ["projects/p/workers"]),
        ("test", "golang:1.26", 20, ["projects/p/workers"]),
    ]
    assert facts.server_schedules
    assert (facts.secrets, facts.jobs[1].secrets) == (["TOKEN"], ["TOKEN"])
    assert [(each.kind, each.text) for each in facts.commands] == [
        ("build", "docker build -t x ."),
        ("test", "go test ./..."),
    ]
    assert [step.script for step in scanned.facts["cloudbuild.json"].steps] == ["npm ci"]


def test_the_phases_of_a_build_on_aws_are_its_jobs(tmp_path: Path) -> None:
    facts = only(
        tmp_path,
        "buildspec.yml",
        """
version: 0.2
env: {secrets-manager: {KEY: "prod:key"}, parameter-store: {P: /p}, variables: {A: b}}
phases:
  install: {runtime-versions: {nodejs: 22}, commands: [npm ci]}
  build:
    commands: [npm test]
    finally: [echo done]
batch:
  build-list: [{identifier: extra, depend-on: [build], env: {image: "acme/ci:1"}}]
cache: {paths: [node_modules/**/*]}
artifacts: {files: [dist/**/*]}
""",
    )

    assert [(job.id, job.needs, job.image) for job in facts.jobs] == [
        ("install", [], None),
        ("build", [], None),
        ("extra", ["build"], "acme/ci:1"),
    ]
    assert (facts.secrets, facts.caching, facts.artifacts) == (
        ["KEY", "P"],
        ["node_modules/**/*"],
        ["dist/**/*"],
    )
    assert ("test", "npm test", "build") in [(c.kind, c.text, c.job) for c in facts.commands]


def test_further_files_of_aws_are_told_apart(tmp_path: Path) -> None:
    scanned = Scanned(
        tmp_path,
        {
            "amplify.yml": "version: 1\nfrontend: {phases: {build: {commands: [npm run build]}}}\n",
            "appspec.yml": "version: 0.0\nos: linux\n"
            "hooks: {AfterInstall: [{location: a.sh, timeout: 300}]}\n",
            "infra/codepipeline.yml": "Resources:\n  P:\n    Type: AWS::CodePipeline::Pipeline\n"
            "    Properties: {Name: p, Stages: [{Name: Build, Actions: [{Name: b}]}]}\n",
        },
    )

    assert scanned.providers == {
        "amplify.yml": "aws-amplify",
        "appspec.yml": "aws-codedeploy",
        "infra/codepipeline.yml": "aws-codepipeline",
    }
    assert [[job.id for job in facts.jobs] for facts in scanned.facts.values()] == [
        ["frontend build"],
        ["AfterInstall"],
        ["b"],
    ]
