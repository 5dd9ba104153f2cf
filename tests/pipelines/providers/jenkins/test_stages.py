"""What each stage of a Jenkins pipeline says about itself: where it runs, how long, with what."""

from __future__ import annotations

import pytest

from stationmaster.pipelines.model import Facts
from tests.pipelines.providers.support import found

POD = '''\
podTemplate(yaml: """
spec:
  initContainers:
    - image: alpine:3.20
  containers:
    - image: maven:3.9.9
""") {
  node(POD_LABEL) {
    stage("Build") { sh "mvn verify" }
  }
}
'''


def read(code: str) -> Facts:
    """What a Jenkinsfile of this code says."""
    return found({"Jenkinsfile": code})[0].facts


def images(code: str) -> list[tuple[str, str | None]]:
    return [(image.reference, image.job) for image in read(code).images]


def test_a_pod_has_the_images_of_its_containers_and_runs_on_kubernetes() -> None:
    facts = read(POD)

    assert [image.reference for image in facts.images] == ["maven:3.9.9", "alpine:3.20"]
    assert [command.text for command in facts.commands] == ["mvn verify"]


def test_a_pod_whose_yaml_cannot_be_read_has_no_images() -> None:
    assert images('podTemplate(yaml: "spec: [") { node("x") { stage("a") { sh "make" } } }') == []


def test_a_container_that_a_stage_runs_in_is_its_image() -> None:
    code = 'node { stage("a") { docker.image("golang:1.24").inside { sh "go test ./..." } } }'

    (job,) = read(code).jobs

    assert (job.id, job.image) == ("a", "golang:1.24")
    assert images(code) == [("golang:1.24", "a")]


def test_a_template_of_a_container_has_an_image() -> None:
    code = """podTemplate(containers: [containerTemplate(name: 'x', image: 'node:22.1.0')]) {
      node('x') { stage('a') { sh 'npm test' } } }"""

    assert images(code) == [("node:22.1.0", None)]


@pytest.mark.parametrize(
    ("agent", "runs_on", "image"),
    [
        ("any", ["any"], None),
        ("none", [], None),
        ("{ label 'linux' }", ["linux"], None),
        ("{ docker 'rust:1.80.0' }", [], "rust:1.80.0"),
        ("{ docker { image 'rust:1.80.0'; label 'big' } }", ["big"], "rust:1.80.0"),
        ("{ dockerfile true }", [], "Dockerfile"),
        ("{ dockerfile { filename 'ci.Dockerfile' } }", [], "ci.Dockerfile"),
    ],
)
def test_an_agent_says_where_a_stage_runs(
    agent: str, runs_on: list[str], image: str | None
) -> None:
    code = f"pipeline {{ agent {agent}\nstages {{ stage('a') {{ steps {{ sh 'make' }} }} }} }}"

    (job,) = read(code).jobs

    assert (job.runs_on, job.image) == (runs_on, image)


@pytest.mark.parametrize(
    ("limit", "minutes"),
    [
        ("timeout(time: 90, unit: 'SECONDS')", 2),
        ("timeout(time: 2, unit: 'HOURS')", 120),
        ("timeout(5)", 5),
        ("timeout(time: 5, activity: true)", None),
        ("timeout(time: LIMIT)", None),
        ("timeout(time: 5, unit: 'YEARS')", None),
    ],
)
def test_a_limit_is_in_minutes_and_not_one_of_silence(limit: str, minutes: int | None) -> None:
    code = f"node {{ {limit} {{ stage('a') {{ sh 'make' }} }}\nstage('b') {{ sh 'make' }} }}"

    first, second = read(code).jobs

    assert (first.timeout_minutes, second.timeout_minutes) == (minutes, None)


@pytest.mark.parametrize(
    ("matrix", "copies"),
    [
        ("axes { axis { name 'A'; values 'x', 'y' }\naxis { name 'B'; values '1', '2', '3' } }", 6),
        ("axes { axis { name 'A'; values 'x', 'y' } }\nexcludes { exclude { } }", None),
        ("axes { }", None),
    ],
)
def test_a_matrix_without_exclusions_multiplies_its_stages(matrix: str, copies: int | None) -> None:
    inner = f"matrix {{ {matrix}\nstages {{ stage('b') {{ steps {{ sh 'make' }} }} }} }}"
    facts = read(f"pipeline {{ agent any\nstages {{ stage('a') {{ {inner} }} }} }}")

    assert [(job.id, job.stage, job.parallel) for job in facts.jobs] == [
        ("a", None, copies),
        ("b", "a", copies),
    ]


def test_branches_of_parallel_are_jobs_where_they_have_no_stages() -> None:
    code = """node { stage('a') { parallel(failFast: true, one: { sh 'make one' },
      two: { stage('inner') { sh 'make two' } }) } }"""

    assert [(job.id, job.stage) for job in read(code).jobs] == [
        ("a", None),
        ("one", "a"),
        ("inner", "two"),
    ]


def test_branches_that_are_computed_are_not_known() -> None:
    assert read("node { stage('a') { parallel branches } }").jobs_unknown


def test_stages_without_bodies_last_until_the_next() -> None:
    code = "node {\nstage 'a'\nsh 'make a'\nstage 'b'\nsh 'make b'\n}"

    assert [(step.job, step.script) for step in read(code).steps] == [
        ("a", "make a"),
        ("b", "make b"),
    ]


def test_stages_of_a_loop_have_names_that_are_computed() -> None:
    facts = read('["x", "y"].each { name -> node { stage("build ${name}") { sh "make" } } }')

    assert facts.jobs_unknown
    assert [job.id for job in facts.jobs] == ["build ${name}"]


def test_credentials_are_named_where_they_are_literals() -> None:
    code = """node { stage('a') {
      withCredentials([string(credentialsId: 'npm-token', variable: 'T')]) { sh 'npm publish' }
      sshagent(['deploy-key']) { sh 'git push' }
      docker.withRegistry('https://r.example.com', 'registry') { sh 'docker push x' }
      withCredentials([string(credentialsId: "key-${env}", variable: 'K')]) { sh 'make' } } }"""

    (job,) = read(code).jobs

    assert job.secrets == ["npm-token", "deploy-key", "registry"]


def test_a_condition_is_told_as_it_is_written() -> None:
    code = """pipeline { agent any
    stages { stage('a') { when { branch 'main' }
    steps { sh 'make' } } } }"""

    (job,) = read(code).jobs

    assert job.condition == "branch 'main'"


def test_a_shell_is_known_by_its_step_and_may_be_told_to_ignore_failures() -> None:
    code = """node { stage('a') { bat script: 'nmake', label: 'Build'
    sh(script: 'make', returnStatus: true)
    sh computed() } }"""

    assert [
        (step.name, step.shell, step.script, step.ignores_errors) for step in read(code).steps
    ] == [("Build", "cmd", "nmake", False), (None, "sh", "make", True)]
