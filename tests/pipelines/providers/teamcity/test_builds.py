from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from stationmaster.pipelines.gates import is_gate
from stationmaster.pipelines.model import Place, Schedule
from stationmaster.pipelines.providers.draft import Commit, Draft
from stationmaster.pipelines.providers.teamcity.builds import describe
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault
from tests.pipelines.providers import support
from tests.pipelines.providers.support import facts, found

SETTINGS = '''
import jetbrains.buildServer.configs.kotlin.*

version = "2024.03"
project {
    buildType(Build)
    buildType {
        id("Inline")
        name = "Inline"
        dependencies { snapshot(RelativeId("Build")) {} }
    }
}

object Build : BuildType({
    name = "Build and test" // object No : BuildType({})
    artifactRules = "dist => dist.zip"
    maxRunningBuilds = 1
    params { password("env.TOKEN", "credentialsJSON:0000"); param("x", "y") }
    steps {
        gradle { name = "Test"; tasks = "clean test"; dockerImage = "gradle:8.5.0" }
        script {
            scriptContent = """
                npm run lint
            """.trimIndent()
        }
    }
    triggers {
        vcs { branchFilter = """
            +:*
            -:pull/*
        """.trimIndent() }
        schedule { schedulingPolicy = daily { hour = 4; minute = 30 } }
    }
    failureConditions { executionTimeoutMin = 45 }
    requirements { equals("teamcity.agent.jvm.os.name", "Linux") }
    features { pullRequests { } }
})

class Shared(os: String) : BuildType({ name = "Shared $os" })

object Late : Shared({
    name = "Late"
})
object Nightly : AcmeBuild() { init {
    name = "Nightly"
    dependencies { snapshot(Build) { } }
    triggers { schedule { schedulingPolicy = cron { minutes = "0"; hours = "2" } } }
} }
'''


def test_configurations_in_kotlin_are_jobs_with_what_they_say() -> None:
    read = facts(".teamcity/settings.kts", SETTINGS)

    assert [(job.id, job.name, job.needs) for job in read.jobs] == [
        ("Build", "Build and test", []),
        ("Nightly", "Nightly", ["Build"]),
        ("Inline", "Inline", ["Build"]),
    ]
    build = read.jobs[0]
    assert (build.runs_on, build.timeout_minutes, build.secrets) == (
        ["teamcity.agent.jvm.os.name equals Linux"],
        45,
        ["TOKEN"],
    )
    assert [(each.event, each.kind, each.branches) for each in read.triggers] == [
        ("vcs", "push", ["*", "!pull/*"]),
        ("schedule", "schedule", []),
        ("pullRequests", "pull_request", []),
    ]
    assert read.schedules == [Schedule("30 4 * * *"), Schedule("0 2 * * *")]
    assert [(each.kind, each.text, each.place) for each in read.commands] == [
        ("test", "gradle clean test", Place(20, 42)),
        ("lint", "npm run lint", Place(23, 32)),
    ]
    assert [(each.reference, each.pin) for each in read.images] == [("gradle:8.5.0", "exact")]
    assert (read.artifacts, read.concurrency) == (["dist => dist.zip"], "maxRunningBuilds 1")


def test_only_files_with_configurations_count() -> None:
    workflows = found(
        {
            ".teamcity/settings.kts": "project { subProject(App) }\n",
            ".teamcity/App/Build.kt": 'object B : BuildType({ name = "B" })\n',
            ".teamcity/Base.kt": 'object T : Template({ name = "T" })\n',
            ".teamcity/pom.xml": "<project/>",
            "other/.teamcity/settings.kts": SETTINGS,
        }
    )

    assert [(each.path, each.facts.kind) for each in workflows] == [
        (".teamcity/App/Build.kt", "pipeline"),
        (".teamcity/Base.kt", "template"),
    ]


BASE = """package ci
import jetbrains.buildServer.configs.kotlin.*

object Main : Project({
    buildType(Testing("Latest", version = "3.12"))
    buildType(Testing("3.11"))
    buildType(Release)
    sequential { Minor }
})

abstract class Common(init: BuildType.() -> Unit) : BuildType({
    features { buildCache { name = "cache" } }
    requirements { equals("os", "Linux") }
    init()
})

fun Triggers.monthly(day: Int, isOn: Boolean = true) {
    schedule {
        enabled = isOn
        schedulingPolicy = cron { minutes = "0"; hours = "5"; dayOfWeek = "3#$day" }
    }
}
fun BuildType.onEveryChange(branch: String) = triggers {
    vcs { branchFilter = "+:$branch" }
}
"""
TESTING = """package ci
open class Testing(
    private val title: String,
    private val branch: String = "main",
    version: String = title,
) : Common({
    id("Test_${title.safe()}")
    name = "Tests on $title"
    steps {
        script { scriptContent = "make test PYTHON=$version"; dockerImage = "python:$version" }
    }
    onEveryChange(branch)
})
"""
RELEASES = """package ci
object Major : Releasing("major")
object Minor : Releasing("minor")

sealed class Releasing(private val kind: String) : Common({
    name = "Publish $kind release"
    steps { script { scriptContent = "npm publish" } }
})
"""
RELEASE = """package ci
object Release : Common({
    name = "Nightly"
    triggers {
        vcs { enabled = false }
        monthly(1)
        monthly(day = 3)
        monthly(2, isOn = false)
    }
})
"""
FOLDER = {
    ".teamcity/settings.kts": 'version = "2025.11"\nproject(Main)\n',
    ".teamcity/ci/Main.kt": BASE,
    ".teamcity/ci/Testing.kt": TESTING,
    ".teamcity/ci/Releases.kt": RELEASES,
    ".teamcity/ci/Release.kt": RELEASE,
}


def test_classes_are_configurations_once_for_each_instance() -> None:
    read = {each.path: each.facts for each in found(FOLDER)}

    assert {path: facts.name for path, facts in read.items()} == {
        ".teamcity/ci/Release.kt": "Nightly",
        ".teamcity/ci/Releases.kt": "Publish major release, Publish minor release",
        ".teamcity/ci/Testing.kt": "Tests on Latest, Tests on 3.11",
    }
    assert [job.id for job in read[".teamcity/ci/Releases.kt"].jobs] == ["Major", "Minor"]
    testing = read[".teamcity/ci/Testing.kt"]
    assert testing.kind == "pipeline"
    assert [each.text for each in testing.commands] == [
        "make test PYTHON=3.12",
        "make test PYTHON=3.11",
    ]
    assert [each.reference for each in testing.images] == ["python:3.12", "python:3.11"]
    assert [job.place for job in testing.jobs] == [
        Place(5, 15, ".teamcity/ci/Main.kt"), Place(6, 15, ".teamcity/ci/Main.kt")
    ]  # fmt: skip


def test_settings_of_base_classes_hold_for_what_comes_from_them() -> None:
    for each in found(FOLDER):
        assert each.facts.caching == ["cache"]
        assert all(job.runs_on == ["os equals Linux"] for job in each.facts.jobs)


def test_triggers_of_functions_are_followed_and_disabled_ones_are_none() -> None:
    read = {each.path: each.facts for each in found(FOLDER)}

    release = read[".teamcity/ci/Release.kt"]
    assert [each.event for each in release.triggers] == ["schedule"]
    assert [each.cron for each in release.schedules] == ["0 5 * * 3#1", "0 5 * * 3#3"]
    testing = read[".teamcity/ci/Testing.kt"]
    assert [(each.event, each.branches) for each in testing.triggers] == [("vcs", ["main"])]
    assert read[".teamcity/ci/Releases.kt"].triggers == []


def test_only_what_changes_start_is_a_gate() -> None:
    assert [each.path for each in found(FOLDER) if is_gate(each)] == [".teamcity/ci/Testing.kt"]


def test_functions_that_call_themselves_cost_little() -> None:
    calls = "\n".join(["again(1)"] * 50)
    text = f"fun Triggers.again(a: Int) {{\n{calls}\n}}\n"
    text += "object A : BuildType({ triggers { again(1) } })\n"
    (one,) = found({".teamcity/settings.kts": text})
    assert one.facts.triggers == []


XML = """<?xml version="1.0"?>
<build-type uuid="1"><name>Unit</name><settings>
  <options><option name="executionTimeoutMin" value="30"/></options>
  <parameters><param name="env.KEY" value="credentialsJSON:1" spec="password"/></parameters>
  <build-runners><runner id="R" type="simpleRunner"><parameters>
    <param name="script.content"><![CDATA[make test]]></param></parameters></runner></build-runners>
  <requirements><equals id="Q" name="os" value="Linux"/></requirements>
  <build-triggers><build-trigger id="T" type="vcsTrigger"/></build-triggers>
  <dependencies><depend-on sourceBuildTypeId="Acme_Build"/></dependencies>
</settings></build-type>
"""


def test_configurations_in_xml_say_the_same() -> None:
    read = facts(".teamcity/Acme/buildTypes/Acme_Unit.xml", XML)

    (job,) = read.jobs
    assert (job.id, job.name, job.needs, job.runs_on, job.timeout_minutes, job.secrets) == (
        "Acme_Unit", "Unit", ["Acme_Build"], ["os equals Linux"], 30, ["KEY"]
    )  # fmt: skip
    assert [(each.event, each.kind) for each in read.triggers] == [("vcsTrigger", "push")]
    assert [each.text for each in read.commands] == ["make test"]


@pytest.mark.parametrize(
    ("xml", "told"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><build-type>&b;</build-type>', "entities"),
        ("<build-type>" + "<a>" * 100, "nested too deeply"),
        ("<build-type><a></build-type>", "no XML"),
    ],
)
def test_xml_that_could_cost_much_is_refused(xml: str, told: str) -> None:
    read = facts(".teamcity/x.xml", xml)

    assert read.parse.state == "error"
    assert told in (read.parse.error or "")


@given(st.binary(max_size=100) | st.text("<>/!&;?ab \"'=").map(str.encode))
def test_any_xml_is_read_or_refused(data: bytes) -> None:
    with suppress(Fault):
        assert not describe(Draft(".teamcity/x.xml", Commit(Files(support.Commit({})))), data)
