from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from stationmaster.pipelines.model import Place, Schedule
from stationmaster.pipelines.providers.brackets import Code, calls, within
from stationmaster.repos.yaml_nodes import Fault
from tests.pipelines.commits import Scanned, only

DECLARATIVE = """
@Library(['acme-lib@v1.2.3', "other@main"]) _
pipeline {
  agent { docker { image 'node:22'; label 'linux' } }
  triggers { cron('TZ=Europe/Berlin\\nH 4 * * 1-5') ; pollSCM('H/5 * * * *') }
  options { timeout(time: 2, unit: 'HOURS'); disableConcurrentBuilds() }
  environment { TOKEN = credentials('npm-token') }
  stages {
    stage('Build') { steps { sh 'npm ci' /* } */ ; sh "echo ${env.get("A")}" } }
    stage("Test") {
      agent none // stage('no')
      when { branch 'main' }
      parallel {
        stage('linux') {
          agent { label 'big' }
          options { timeout(30) }
          steps { withCredentials([string(credentialsId: 'cov', variable: 'C')]) { sh '''
            npm test
            claude -p "fix it"
          ''' } }
        }
        stage('windows') { agent { label 'win' } steps { bat script: 'npm test', label: 'all' } }
      }
    }
    stage('Axes') {
      matrix {
        axes { axis { name 'A'; values 'x', 'y' } axis { name 'B'; values '1', '2', '3' } }
        stages { stage('Each') { agent { dockerfile true } steps { echo 'hi' } } }
      }
    }
  }
  post { always { archiveArtifacts artifacts: 'dist/**' } }
}
"""


def test_a_declarative_pipeline_has_a_job_per_stage_and_what_holds_for_all(tmp_path: Path) -> None:
    facts = only(tmp_path, "Jenkinsfile", DECLARATIVE)

    assert [(each.event, each.kind) for each in facts.triggers] == [
        ("cron", "schedule"),
        ("pollSCM", "push"),
    ]
    assert facts.schedules == [Schedule("H 4 * * 1-5", "Europe/Berlin")]
    assert [
        (each.id, each.stage, each.runs_on, each.image, each.timeout_minutes)
        for each in facts.jobs
    ] == [
        ("Build", None, ["linux"], "node:22", 120),
        ("Test", None, [], "node:22", 120),
        ("linux", "Test", ["big"], "node:22", 30),
        ("windows", "Test", ["win"], "node:22", 120),
        ("Axes", None, ["linux"], "node:22", 120),
        ("Each", "Axes", ["linux"], "Dockerfile", 120),
    ]  # fmt: skip
    assert [each.parallel for each in facts.jobs] == [None] * 4 + [6, 6]
    assert facts.jobs[1].condition == "branch 'main'"
    assert [(each.reference, each.pin) for each in facts.uses] == [
        ("acme-lib@v1.2.3", "exact"),
        ("other@main", "branch"),
    ]
    assert facts.secrets == ["npm-token", "cov"]
    assert [each.secrets for each in facts.jobs][2] == ["cov"]
    assert facts.concurrency == "disableConcurrentBuilds"
    assert facts.artifacts == ["dist/**"]
    assert [(each.job, each.shell, each.name) for each in facts.steps] == [
        ("Build", "sh", None),
        ("Build", "sh", None),
        ("linux", "sh", None),
        ("windows", "cmd", "all"),
    ]
    assert (facts.steps[2].script_at, facts.steps[2].agents) == (Place(17, 90), ("claude-code",))
    assert ("test", "npm test", "linux", 18) in [
        (each.kind, each.text, each.job, each.place.line) for each in facts.commands if each.place
    ]
    assert (facts.jobs_unknown, facts.parse.state) == (False, "ok")


SCRIPTED = """#!groovy
properties([pipelineTriggers([cron('@daily'), upstream('other')]), disableConcurrentBuilds()])
def helper = load 'ci/helper.groovy'
node('linux && docker') {
  checkout scm
  timeout(time: 45) {
    stage('Compile') { sh returnStdout: true, script: "make" }
  }
  docker.withRegistry('https://r.example.com', 'registry-login') {
    stage('Push') { docker.image('builder:1.2').inside { sh 'make push' } }
  }
  parallel unit: { sh 'make unit' }, failFast: true, e2e: { stage('E2E') { sh 'make e2e' } }
}
for (v in versions) { stage(v) { node("jdk-$v") { sh 'make' } } }
"""


def test_a_scripted_pipeline_is_read_through_its_blocks(tmp_path: Path) -> None:
    scanned = Scanned(tmp_path, {"Jenkinsfile": SCRIPTED, "ci/helper.groovy": "def x() {}"})
    facts = scanned.facts["Jenkinsfile"]

    assert list(scanned.facts) == ["Jenkinsfile"]
    assert [(each.id, each.runs_on, each.image, each.timeout_minutes) for each in facts.jobs] == [
        ("Compile", ["linux && docker"], None, 45),
        ("Push", ["linux && docker"], "builder:1.2", None),
        ("unit", ["linux && docker"], None, None),
        ("E2E", ["linux && docker"], None, None),
        ("${v}", ["jdk-$v"], None, None),
    ]
    assert facts.jobs_unknown
    assert facts.schedules == [Schedule("@daily")]
    assert [each.kind for each in facts.triggers] == ["schedule", "workflow_chain"]
    assert [(each.location, each.resolved) for each in facts.includes] == [
        ("ci/helper.groovy", True)
    ]
    assert facts.secrets == ["registry-login"]


@pytest.mark.parametrize(
    ("code", "step", "runs_on", "name", "copies"),
    [
        ("buildPlugin()", "buildPlugin", [], None, None),
        (
            "// c\nbuildPlugin(forkCount: '1C', configurations: [\n [platform: 'linux', jdk: 25],\n"
            " [platform: 'windows', jdk: '21'],\n])",
            "buildPlugin", ["linux", "windows"], "linux JDK 25, windows JDK 21", 2,
        ),
        (
            "buildPlugin platforms: ['linux', 'mac'], jdkVersions: ['17', '21']",
            "buildPlugin", ["linux", "mac"],
            "linux JDK 17, linux JDK 21, mac JDK 17, mac JDK 21", 4,
        ),
        (
            "@Library('x') _\nif (env.X) { updatecli(action: 'diff') } else { updatecli() }",
            "updatecli", [], None, None,
        ),
        ("def f() { return 1 }\nf()\nacme.build('x')", "acme.build", [], None, None),
    ],
)  # fmt: skip
def test_a_call_of_a_library_is_named_and_its_stages_are_unknown(
    tmp_path: Path,
    code: str,
    step: str,
    runs_on: list[str],
    name: str | None,
    copies: int | None,
) -> None:
    facts = only(tmp_path, "Jenkinsfile", code)

    assert facts.jobs_unknown
    (job,) = facts.jobs
    assert (job.id, job.uses, job.runs_on, job.name, job.parallel) == (
        step, step, runs_on, name, copies
    )  # fmt: skip
    assert facts.uses[-1].reference == step


def test_files_of_any_name_count_where_they_say_a_pipeline(tmp_path: Path) -> None:
    pipeline = "pipeline { stages { stage('A') { steps { sh 'x' } } } }"
    scanned = Scanned(
        tmp_path,
        {
            "Jenkinsfile": "// only this\n/* and this */\n",
            "Jenkinsfile.md": pipeline,
            "app/Jenkinsfile.release": pipeline,
            "deploy.jenkinsfile": pipeline,
            "ci/nightly.groovy": pipeline,
            "jenkins/helpers.groovy": "def helper() { return 'stage' }",
            "src/Build.groovy": pipeline,
            "vars/whole.groovy": f"def call(Map config) {{ {pipeline} }}",
            "vars/notify.groovy": "def call() { echo 'x' }",
            "src/test/resources/Jenkinsfile": pipeline,
            "docs/examples/Jenkinsfile": pipeline,
        },
    )

    assert list(scanned.facts) == [
        "app/Jenkinsfile.release",
        "ci/nightly.groovy",
        "deploy.jenkinsfile",
        "vars/whole.groovy",
    ]
    assert scanned.facts["vars/whole.groovy"].kind == "reusable"
    assert list(scanned.ignored) == ["docs/examples/Jenkinsfile", "src/test/resources/Jenkinsfile"]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("node {\n stage('A') { sh 'x' \n", 2),
        ("stage('A') { sh 'x' } }", 1),
        ("stage('A') { sh(['x') }\nnode { }", 1),
        ("node { stage('A') { sh '''\nmake } }", 1),
    ],
)
def test_brackets_that_do_not_match_leave_what_could_be_read(
    tmp_path: Path, code: str, line: int
) -> None:
    facts = only(tmp_path, "Jenkinsfile", code)

    assert [job.id for job in facts.jobs] == ["A"]
    assert (facts.parse.state, facts.parse.line) == ("partial", line)


@pytest.mark.parametrize(
    "part",
    ["(", "{", "stage('a') {", '"${', "/*", "'", "=/", "a.", "}", "a ", "a 'x' ", "a = ", "a b: "],
)
def test_a_file_of_any_size_and_nonsense_takes_no_longer_than_its_length(part: str) -> None:
    try:
        code = Code((part * 20_000).encode())
    except Fault:
        return
    assert sum(1 for _ in within(code.items)) <= 20_000


@given(st.binary() | st.text("(){}[]'\"/*\\$\n stage=,:.a").map(str.encode))
def test_any_bytes_are_read(data: bytes) -> None:
    assert all(call.at >= 0 for call in calls(Code(data).items))


def test_a_file_too_large_is_told_and_not_read(tmp_path: Path) -> None:
    facts = only(tmp_path, "Jenkinsfile", b"node { }\n" * 2**20)

    assert (facts.parse.state, facts.jobs) == ("error", [])
