"""What builds apply and set, their own files and those above them together."""

from __future__ import annotations

import pytest

from stationmaster.readiness.evidence import builds
from tests.support.trees import Content, facts_of

JAVA: dict[str, Content] = {"src/main/java/A.java": "class A {}\n"}
POM = "<project>\n<artifactId>{}</artifactId>\n{}</project>"
PLUGIN = "<plugins>\n<plugin><artifactId>{}</artifactId></plugin></plugins>"
PARENT = "<parent><artifactId>p</artifactId>{}</parent>"
NET: dict[str, Content] = {"src/a/A.cs": "class A {}\n"}
PROJECT = '<Project Sdk="Microsoft.NET.Sdk">\n{}</Project>'
STYLE = '<PackageReference Include="StyleCop.Analyzers" />'

PLUGINS: dict[str, tuple[dict[str, Content], str, str | None]] = {
    "in the plugins of Gradle": (
        {**JAVA, "build.gradle": "plugins {\n  id 'com.acme.lint' version '1'\n}\n"},
        "com.acme.*",
        "build.gradle:2",
    ),
    "applied by its name": (
        {**JAVA, "build.gradle": "apply plugin: 'pmd'\n"},
        "pmd",
        "build.gradle:1",
    ),
    "below a pattern and a version with braces": (
        {
            **JAVA,
            "build.gradle": 'def all = "src/**/*.java"\nplugins {\n  id "a.b" version "${v}"\n'
            "  id 'com.acme.lint' version '1'\n}\n",
        },
        "com.acme.*",
        "build.gradle:4",
    ),
    "named for the builds below": (
        {**JAVA, "build.gradle": "plugins {\n  id 'com.acme.lint' version '1' apply false\n}\n"},
        "com.acme.*",
        None,
    ),
    "applied by a convention plugin": (
        {
            **JAVA,
            "build.gradle": "plugins { id 'java' }\n",
            "buildSrc/src/main/kotlin/Own.kt": 'fun own() {\n  pluginManager.apply("pmd")\n}\n',
        },
        "pmd",
        "buildSrc/src/main/kotlin/Own.kt:2",
    ),
    "in a comment": (
        {**JAVA, "build.gradle": "plugins { id 'java' }\n// apply plugin: 'pmd'\n"},
        "pmd",
        None,
    ),
    "by its alias": (
        {
            **JAVA,
            "build.gradle.kts": "plugins {\n  alias(libs.plugins.code.lint)\n}\n",
            "gradle/libs.versions.toml": '[plugins]\ncode-lint = {id = "com.acme.lint", '
            'version = "1"}\n',
        },
        "com.acme.lint",
        "build.gradle.kts:2",
    ),
    "in the build above": (
        {
            "settings.gradle": "include 'shop'\n",
            "build.gradle": "subprojects {\n  apply plugin: 'checkstyle'\n}\n",
            "shop/build.gradle": "plugins { id 'java' }\n",
            "shop/src/main/java/A.java": "class A {}\n",
        },
        "checkstyle",
        "build.gradle:2",
    ),
    "of Maven": (
        {**JAVA, "pom.xml": POM.format("a", f"<build>{PLUGIN.format('maven-pmd-plugin')}</build>")},
        "maven-pmd-*",
        "pom.xml:4",
    ),
    "of the pom around": (
        {
            "pom.xml": POM.format("p", f"<build>{PLUGIN.format('maven-pmd-plugin')}</build>"),
            "a/pom.xml": POM.format("a", PARENT.format("")),
            "a/src/main/java/A.java": "class A {}\n",
        },
        "maven-pmd-plugin",
        "pom.xml:4",
    ),
    "of a pom in a named folder": (
        {
            "build/pom.xml": POM.format("p", f"<build>{PLUGIN.format('maven-pmd-plugin')}</build>"),
            "a/pom.xml": POM.format("a", PARENT.format("<relativePath>../build</relativePath>")),
            "a/src/main/java/A.java": "class A {}\n",
        },
        "maven-pmd-plugin",
        "build/pom.xml:4",
    ),
    "of a pom from elsewhere": (
        {
            "pom.xml": POM.format("p", f"<build>{PLUGIN.format('maven-pmd-plugin')}</build>"),
            "a/pom.xml": POM.format("a", PARENT.format("<relativePath/>")),
            "a/src/main/java/A.java": "class A {}\n",
        },
        "maven-pmd-plugin",
        None,
    ),
    "that Maven only manages": (
        {
            **JAVA,
            "pom.xml": POM.format(
                "a",
                f"<build><pluginManagement>{PLUGIN.format('maven-pmd-plugin')}"
                "</pluginManagement></build>",
            ),
        },
        "maven-pmd-plugin",
        None,
    ),
    "of .NET": (
        {**NET, "src/a/a.csproj": PROJECT.format(f"<ItemGroup>{STYLE}</ItemGroup>")},
        "StyleCop*",
        "src/a/a.csproj:2",
    ),
    "of all projects of .NET": (
        {
            **NET,
            "src/a/a.csproj": PROJECT.format(""),
            "Directory.Build.props": f"<Project>\n<ItemGroup>{STYLE}</ItemGroup></Project>",
        },
        "StyleCop*",
        "Directory.Build.props:2",
    ),
}


@pytest.mark.parametrize("where", PLUGINS)
def test_a_plugin_is_known_where_a_build_applies_it(where: str) -> None:
    files, name, place = PLUGINS[where]
    facts = facts_of(files)
    app = facts.project.apps[-1]

    applied = builds.plugin(facts, app, name)

    assert (None if applied is None else str(applied)) == place


def test_a_property_of_a_project_is_that_of_the_nearest_file() -> None:
    shared = "<Project>\n<PropertyGroup><Nullable>disable</Nullable>{}</PropertyGroup></Project>"
    own = PROJECT.format("<PropertyGroup>\n<Nullable> enable </Nullable></PropertyGroup>")
    facts = facts_of(
        {
            **NET,
            "src/a/a.csproj": own,
            "Directory.Build.props": shared.format("<AnalysisLevel>latest</AnalysisLevel>"),
        }
    )

    settings = builds.settings(facts, facts.project.apps[0])

    assert {name: (value.value, str(value.place)) for name, value in settings.items()} == {
        "nullable": ("enable", "src/a/a.csproj:3"),
        "analysislevel": ("latest", "Directory.Build.props:2"),
    }


def test_poms_that_name_each_other_as_parents_are_read_once() -> None:
    parent = PARENT.format("<relativePath>../{}/pom.xml</relativePath>")
    facts = facts_of(
        {
            "a/pom.xml": POM.format("a", parent.format("b")),
            "a/src/main/java/A.java": "class A {}\n",
            "b/pom.xml": POM.format("b", parent.format("a")),
            "b/src/main/java/B.java": "class B {}\n",
        }
    )

    first = facts.project.apps[0]

    assert list(builds.poms(facts, first)) == ["a/pom.xml", "b/pom.xml"]
