"""Which folders of a commit are applications, and what they are."""

from __future__ import annotations

import json

import pytest

from tests.reading.projects.conftest import Make
from tests.support.repositories import Content

POM = "<project><groupId>g</groupId><artifactId>{}</artifactId>{}</project>"
MAVEN = POM.format("a", "<build><plugins><plugin><artifactId>{}</artifactId>{}</plugin></plugins>"
                   "</build>")  # fmt: skip
CARGO = '[package]\nname = "{}"\nversion = "1.0.0"\n'
SDK = "<Project Sdk='Microsoft.NET.Sdk{}'>{}</Project>"


def npm(**members: object) -> str:
    return json.dumps(members)


REPOSITORIES: dict[str, tuple[dict[str, Content], list[str]]] = {
    "nothing at all": ({"README.md": "# Hello"}, ["."]),
    "examples with manifests beside one package": (
        {
            "pyproject.toml": "[project]\nname = 'a'\n[build-system]\nrequires = []\n",
            "src/a/__init__.py": "",
            "examples/one/pyproject.toml": "[project]\nname = 'one'\n",
            "examples/one/app.py": "",
            "docs/requirements.txt": "sphinx\n",
            "docs/conf.py": "",
        },
        ["."],
    ),
    "a workspace whose root has no source": (
        {
            "package.json": npm(name="root", private=True),
            "eslint.config.js": "",
            "scripts/release.ts": "",
            "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - '!packages/old'\n  - play/**\n",
            "packages/a/package.json": npm(name="a", version="1.0.0"),
            "packages/a/src/index.ts": "",
            "packages/a/__tests__/x/package.json": npm(name="x"),
            "packages/a/__tests__/x/x.ts": "",
            "packages/create/package.json": npm(name="create", bin="index.js"),
            "packages/create/index.js": "",
            "packages/create/template-vue/package.json": npm(name="starter"),
            "packages/create/template-vue/main.ts": "",
            "packages/eslint-config/package.json": npm(name="@x/eslint-config"),
            "packages/eslint-config/index.js": "",
            "playground/x/package.json": npm(name="x"),
            "playground/x/x.js": "",
        },
        ["packages/a", "packages/create"],
    ),
    "crates, one of them the root, and a fuzz target of its own": (
        {
            "Cargo.toml": CARGO.format("a") + "[[bin]]\nname = 'a'\npath = 'crates/core/main.rs'\n"
            "[workspace]\nmembers = ['crates/*']\n",
            "crates/core/main.rs": "",
            "crates/b/Cargo.toml": CARGO.format("b"),
            "crates/b/src/lib.rs": "",
            "fuzz/Cargo.toml": CARGO.format("fuzz") + "[workspace]\n",
            "fuzz/fuzz_targets/x.rs": "",
        },
        [".", "crates/b"],
    ),
    "crates that are called like settings and templates": (
        {
            "Cargo.toml": "[workspace]\nmembers = ['crates/*']\n",
            **{f"crates/{name}/Cargo.toml": CARGO.format(name) for name in ("config", "templates")},
            **{f"crates/{name}/src/lib.rs": "" for name in ("config", "templates")},
        },
        ["crates/config", "crates/templates"],
    ),
    "modules of Maven in a circle, with tests and a parent": (
        {
            "pom.xml": POM.format("parent", "<packaging>pom</packaging><modules><module>a</module>"
                                  "<module>test-x</module><module>bom</module></modules>"),
            "a/pom.xml": POM.format("a", "<modules><module>..</module></modules>"),
            "a/src/main/java/com/example/demo/A.java": "",
            "test-x/pom.xml": POM.format("test-x", "<dependencies><dependency><groupId>g</groupId>"
                                         "<artifactId>a</artifactId></dependency></dependencies>"),
            "test-x/src/test/java/XTest.java": "",
            "bom/pom.xml": POM.format("bom", "<packaging>pom</packaging>"),
        },
        ["a"],
    ),
    "the default project of Spring Initializr": (
        {
            "pom.xml": POM.format("demo", ""),
            "src/main/java/com/example/demo/DemoApplication.java": "",
            "src/test/java/com/example/demo/DemoApplicationTests.java": "",
        },
        ["."],
    ),
    "packages that are called as tests and tools are": (
        {"pom.xml": POM.format("a", ""), "src/main/java/it/acme/tools/A.java": ""}, ["."],
    ),
    "programs that only test, demonstrate or measure": (
        {
            "package.json": npm(name="root", private=True, workspaces=["packages/**", "bench/*"]),
            "packages/a/package.json": npm(name="a", version="1.0.0", main="a.js"),
            "packages/a/a.js": "",
            "packages/a/performance/package.json": npm(name="p", version="1.0.0"),
            "packages/a/performance/p.js": "",
            "packages/android-test-app/package.json": npm(name="t", version="1.0.0"),
            "packages/android-test-app/t.js": "",
            "packages/a-testing-support/package.json": npm(name="s", version="1.0.0"),
            "packages/a-testing-support/s.js": "",
            "packages/a_example/package.json": npm(name="e", version="1.0.0"),
            "packages/a_example/e.js": "",
            "bench/site/package.json": npm(name="site", version="1.0.0"),
            "bench/site/s.js": "",
        },
        ["packages/a"],
    ),
    "a package of Flutter with what starts it on each platform": (
        {
            "pubspec.yaml": "name: a\ndependencies:\n  flutter:\n    sdk: flutter\n",
            "lib/main.dart": "",
            "android/app/build.gradle": "plugins { id 'com.android.application' }\n",
            "android/app/src/main/kotlin/A.kt": "",
            "linux/CMakeLists.txt": "project(a)\nadd_executable(a a.cc)\n",
            "linux/a.cc": "",
        },
        ["."],
    ),
    "modules of Gradle, some without a file of their own": (
        {
            "settings.gradle.kts": 'include(":core", ":app:web")\nincludeBuild("build-logic")\n'
            'project(":core").projectDir = file("lib/core")\n',
            "build.gradle.kts": 'plugins { id("java") }\n',
            "lib/core/src/main/kotlin/A.kt": "",
            "app/web/build.gradle": "plugins { id 'application' }\n",
            "app/web/src/main/java/B.java": "",
            "build-logic/build.gradle.kts": "",
            "build-logic/src/main/kotlin/C.kt": "",
        },
        ["app/web", "lib/core"],
    ),
    "services without a workspace": (
        {
            "src/cart/cart.sln": "",
            "src/cart/src/Dockerfile": "FROM x\n",
            "src/cart/src/cart.csproj": SDK.format(".Web", ""),
            "src/cart/src/Program.cs": "",
            "src/cart/tests/cart.tests.csproj": SDK.format("", ""),
            "src/cart/tests/T.cs": "",
            "src/front/go.mod": "module example.com/front\n",
            "src/front/main.go": "package main\n",
            "src/mail/Dockerfile": "FROM x\n",
            "src/mail/requirements.txt": "flask\n",
            "src/mail/server.py": "",
            "src/load/Dockerfile": "FROM x\n",
            "src/load/run.py": "",
            "helm/Chart.yaml": "name: x\n",
            ".github/actions/x/package.json": npm(name="x"),
            ".github/actions/x/x.js": "",
        },
        ["src/cart", "src/front", "src/load", "src/mail"],
    ),
    "programs of .NET and the libraries they are made of": (
        {
            "A.slnx": "<Solution><Project Path='src/App/App.csproj'/></Solution>",
            "src/App/App.csproj": SDK.format(
                "", "<PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup>"
                "<ProjectReference Include='..\\Core\\Core.csproj'/></ItemGroup>"),
            "src/App/Program.cs": "",
            "src/Core/Core.csproj": SDK.format("", ""),
            "src/Core/C.cs": "",
            "test/App.Tests/App.Tests.csproj": SDK.format("", "<ItemGroup><ProjectReference "
                                                          "Include='../../src/App/App.csproj'/>"
                                                          "</ItemGroup>"),
            "test/App.Tests/T.cs": "",
        },
        ["src/App"],
    ),
    "a library of .NET beside programs that only test or measure it": (
        {
            "src/Tills/Tills.csproj": SDK.format("", ""),
            "src/Tills/Till.cs": "",
            "speed/Speed.csproj": SDK.format(
                "", "<PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup>"
                "<PackageReference Include='BenchmarkDotNet' Version='1.0'/>"
                "<ProjectReference Include='../helping/Tills.TestHelpers.csproj'/></ItemGroup>"),
            "speed/Program.cs": "",
            "helping/Tills.TestHelpers.csproj": SDK.format(
                "", "<ItemGroup><ProjectReference Include='../src/Tills/Tills.csproj'/>"
                "</ItemGroup>"),
            "helping/H.cs": "",
            "manual/Manual.csproj": SDK.format(
                ".Web", "<ItemGroup><ProjectReference "
                "Include='../helping/Tills.TestHelpers.csproj'/></ItemGroup>"),
            "manual/Program.cs": "",
        },
        ["src/Tills"],
    ),
    "a server and pages in one repository": (
        {
            "go.mod": "module example.com/a\n",
            "cmd/server/main.go": "package main\n",
            "docker/Dockerfile": "FROM x\n",
            "web/package.json": npm(name="web", private=True, dependencies={"vue": "3"},
                                    devDependencies={"vite": "6"}),
            "web/src/main.ts": "",
        },
        [".", "web"],
    ),
    "one build of C with libraries inside": (
        {
            "CMakeLists.txt": "project(a C)\n",
            "a.c": "",
            "lib/b/CMakeLists.txt": "project(b C)\n",
            "lib/b/b.c": "",
        },
        ["."],
    ),
    "an umbrella of Elixir": (
        {
            "mix.exs": 'apps_path: "apps"\n',
            "apps/a/mix.exs": "app: :a\n",
            "apps/a/lib/a.ex": "",
        },
        ["apps/a"],
    ),
    "what the repository itself says": (
        {
            ".stationmaster.toml": "include = ['legacy']\nexclude = ['b/**', 'b']\n",
            "a/package.json": npm(name="a"),
            "a/a.js": "",
            "b/package.json": npm(name="b"),
            "b/b.js": "",
            "legacy/x.pl": "",
        },
        ["a", "legacy"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPOSITORIES)
def test_the_applications_are_what_is_built_or_deployed_by_itself(tree: Make, name: str) -> None:
    contents, expected = REPOSITORIES[name]
    assert [app.path for app in tree(contents).project.apps] == expected


def test_tests_and_libraries_elsewhere_are_parts_of_the_application_they_serve(tree: Make) -> None:
    made = tree(REPOSITORIES["programs of .NET and the libraries they are made of"][0])
    (app,) = made.project.apps
    assert app.parts == ("src/Core", "test/App.Tests")
    assert [path for path in made.of(app) if path.endswith(".cs")] == [
        "src/App/Program.cs", "src/Core/C.cs", "test/App.Tests/T.cs",
    ]  # fmt: skip


KINDS: dict[str, tuple[dict[str, Content], set[str]]] = {
    "a published package": (
        {"package.json": npm(name="a", version="1", main="a.js"), "a.js": ""}, {"library"},
    ),
    "a published package that plugs into a framework": (
        {"package.json": npm(name="a", main="a.js", dependencies={"express": "5"}), "a.js": ""},
        {"library"},
    ),
    "a server": (
        {"package.json": npm(private=True, scripts={"start": "node ."},
                             dependencies={"express": "5"}), "a.js": ""},
        {"service"},
    ),
    "a command": (
        {"Cargo.toml": CARGO.format("a") + "[dependencies]\nclap = '4'\n", "src/main.rs": ""},
        {"cli"},
    ),
    "a package with a command": (
        {"pyproject.toml": "[project]\nname = 'a'\nscripts = { a = 'a:b' }\n"
         "[build-system]\nrequires = []\n", "a.py": ""},
        {"cli", "library"},
    ),
    "a program that listens": (
        {"go.mod": "module a.b/c\n", "main.go": 'func main() { http.ListenAndServe("", nil) }'},
        {"service"},
    ),
    "pages": (
        {"package.json": npm(private=True, devDependencies={"vite": "6"}), "index.html": "",
         "src/main.ts": ""},
        {"web"},
    ),
    "descriptions of machines": ({"main.tf": 'provider "x" {}\n'}, {"infra"}),
    "a worker": ({"requirements.txt": "celery\n", "worker.py": ""}, {"job"}),
    "an archive that starts, and serves": (
        {"build.gradle": "plugins { id 'java' }\ndependencies {\n"
         '  implementation "org.eclipse.jetty:jetty-server:12"\n}\n'
         'jar { manifest { attributes("Main-Class": "a.Main", "Class-Path": all()) } }\n',
         "src/main/java/a/Main.java": ""},
        {"service"},
    ),
    "a program of Gradle": (
        {"build.gradle.kts": 'plugins { java }\napplication { mainClass.set("a.Start") }\n',
         "src/main/java/a/Start.java": ""},
        {"cli"},
    ),
    "a library of Gradle that runs a measurement": (
        {"build.gradle": "plugins { id 'java-library' }\n"
         "task measure(type: JavaExec) { mainClass = 'a.Measure' }\n",
         "src/main/java/a/A.java": ""},
        {"library"},
    ),
    "a program of Maven": (
        {"pom.xml": MAVEN.format("maven-shade-plugin", "<executions><execution><configuration>"
                                 "<mainClass>a.Start</mainClass></configuration></execution>"
                                 "</executions>"),
         "src/main/java/a/Start.java": ""},
        {"cli"},
    ),
    "a program of Maven by the entries of its archive": (
        {"pom.xml": MAVEN.format("maven-shade-plugin", "<executions><execution><configuration>"
                                 "<manifestEntries><Main-Class>a.Start</Main-Class>"
                                 "</manifestEntries></configuration></execution></executions>"),
         "src/main/java/a/Start.java": ""},
        {"cli"},
    ),
    "a program of npm that nothing can import": (
        {"package.json": npm(bin="lib/bin.js", files=["lib"]), "src/bin.ts": ""}, {"cli"},
    ),
    "a program of Python that a name stands for": (
        {"setup.py": "points = {'console_scripts': ['a = a:run']}\n"
         "setup(name='a', entry_points=points)\n", "a.py": "def run(): ...\n"},
        {"cli", "library"},
    ),
    "a library of Maven that runs a program to be built": (
        {"pom.xml": MAVEN.format("exec-maven-plugin", "<executions/><configuration>"
                                 "<mainClass>a.Make</mainClass></configuration>"),
         "src/main/java/a/A.java": ""},
        {"library"},
    ),
    "a worker of .NET": (
        {"a.csproj": SDK.format(".Worker", "<ItemGroup><PackageReference "
                                "Include='Microsoft.Extensions.Hosting'/></ItemGroup>"),
         "Program.cs": ""},
        {"job"},
    ),
    "a tool of .NET": (
        {"a.csproj": SDK.format("", "<PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>"),
         "Program.cs": ""},
        {"cli"},
    ),
    "texts": ({"README.md": "x", "a.md": "x"}, {"docs"}),
    "what the repository itself says": (
        {".stationmaster.toml": "[kinds]\n'.' = ['service']\n", "a.py": ""}, {"service"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_of_an_application_is_what_its_files_say(tree: Make, name: str) -> None:
    contents, expected = KINDS[name]
    (app,) = tree(contents).project.apps
    assert app.kinds == expected
