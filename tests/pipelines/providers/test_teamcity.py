from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import Place, Schedule
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.teamcity_xml import describe
from stationmaster.repos.yaml_nodes import Fault
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
        ('<!DOCTYPE a [<!ENTITY b "c">]><build-type>&b;</build-type>', "document type"),
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
        assert not describe(Draft(".teamcity/x.xml", agents.Commands()), data)
