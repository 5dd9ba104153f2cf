"""What manifests ask for, in every ecosystem, and where."""

from __future__ import annotations

import pytest

from tests.reading.projects.conftest import Make
from tests.support.repositories import Content

Asked = list[tuple[str, str | None, str, str]]

CASES: dict[str, tuple[dict[str, Content], Asked]] = {
    "npm": (
        {"package.json": '{\n"dependencies": {\n"@a/b": "^1"},\n"devDependencies": {"c": "2"}}'},
        [("@a/b", "^1", "runtime", "package.json:3"), ("c", "2", "development", "package.json:4")],
    ),
    "deno": (
        {"deno.json": '{"imports": {\n"x": "npm:@a/b@1.2/c", "y": "./y.ts"}}'},
        [("@a/b", "1.2", "runtime", "deno.json:2")],
    ),
    "pyproject": (
        {"pyproject.toml": "[project]\nname = 'a'\ndependencies = [\n 'Foo_Bar[x]>=1; a',\n]\n"
         "[dependency-groups]\ntest = ['pytest==8']\nmain = ['web==1']\n"
         "[tool.poetry.dependencies]\npython = '3'\n"
         "Baz = {version = '2', optional = true}\n"},
        [("foo-bar", ">=1", "runtime", "pyproject.toml:4"),
         ("pytest", "==8", "development", "pyproject.toml:7"),
         ("web", "==1", "runtime", "pyproject.toml:8"),
         ("baz", "2", "optional", "pyproject.toml:11")],
    ),
    "setup.py is never run": (
        {"setup.py": "import os\nneeds = ['a>=1']\nos.abort()\nsetup(name='x',\n"
         "      install_requires=needs, extras_require={'dev': ['bbb']}, version=os.x())\n"},
        [("a", ">=1", "runtime", "setup.py:2"), ("bbb", None, "development", "setup.py:5")],
    ),
    "a module that is called setup.py": (
        {"shop/views/setup.py": "import setuptools\nclass View:\n    def setup(self):\n"
         "        self.setup()\n"}, [],
    ),
    "requirements": (
        {"requirements.txt": "# x\n-r y.txt\nA.b==1.0 --hash=sha256:0\nhttps://x/y\n",
         "requirements/dev.txt": "c\n", "a.py": ""},
        [("a-b", "==1.0", "runtime", "requirements.txt:3"),
         ("c", None, "development", "requirements/dev.txt:1")],
    ),
    "requirements that pip-compile or uv wrote": (
        {"requirements.txt": "click==8.1 \\\n    --hash=sha256:0\n    # via\n    #   flask\n"
         "    #   typer\nflask==3  # via -r requirements.in\ntyper==1\n    # via shop\n"
         "anyio==4\n    # via\n    #   -r requirements.in\n    #   typer\nidna==3  # via anyio\n"
         "rich==1\n# of ours\n", "a.py": ""},
        [("click", "==8.1", "indirect", "requirements.txt:1"),
         ("flask", "==3", "runtime", "requirements.txt:6"),
         ("typer", "==1", "runtime", "requirements.txt:7"),
         ("anyio", "==4", "runtime", "requirements.txt:9"),
         ("idna", "==3", "indirect", "requirements.txt:13"),
         ("rich", "==1", "runtime", "requirements.txt:14")],
    ),
    "what only another package asks for, in a folder of tests": (
        {"a.go": "", "go.mod": "module a.b/c\n", "tests/x/go.mod":
         "module a.b/c/x\nrequire (\n\tx.y/z v1.0.0 // indirect\n\tx.y/q v1.0.0\n)\n",
         "tests/x/a_test.go": ""},
        [("x.y/z", "v1.0.0", "indirect", "tests/x/go.mod:3"),
         ("x.y/q", "v1.0.0", "development", "tests/x/go.mod:4")],
    ),
    "peers that npm need not install": (
        {"package.json": '{"peerDependencies": {"a": "1", "b": "2"},\n'
         '"peerDependenciesMeta": {"b": {"optional": true}}}'},
        [("a", "1", "runtime", "package.json:1"), ("b", "2", "optional", "package.json:1")],
    ),
    "versions that Gradle only rules": (
        {"build.gradle": "dependencies {\n  constraints {\n    implementation('a:b:1') { x() }\n"
         "  }\n  implementation 'c:d:2'\n}\n", "A.java": ""},
        [("c:d", "2", "runtime", "build.gradle:5")],
    ),
    "go": (
        {"go.mod": "module a.b/c\n\nrequire (\n\tx.y/z v1.0.0\n\tx.y/q v2.0.0 // indirect\n)\n"
         "require o.p/q v3.0.0\n", "a.go": ""},
        [("x.y/z", "v1.0.0", "runtime", "go.mod:4"), ("x.y/q", "v2.0.0", "indirect", "go.mod:5"),
         ("o.p/q", "v3.0.0", "runtime", "go.mod:7")],
    ),
    "cargo": (
        {"Cargo.toml": "[package]\nname='a'\n[workspace.dependencies]\nb = '3'\n[dependencies]\n"
         "b.workspace = true\n[target.'cfg(x)'.dev-dependencies]\nc = {package = 'd'}\n",
         "src/lib.rs": ""},
        [("b", "3", "runtime", "Cargo.toml:6"), ("d", None, "development", "Cargo.toml:8")],
    ),
    "cargo, where names begin alike and a package has a table of its own": (
        {"Cargo.toml": "[package]\nname='a'\n[dependencies]\nb-c = '1'\nb_more = '2'\n"
         "bb = '3'\n\n[dependencies.b]\nversion = '4'\n", "src/lib.rs": ""},
        [("b-c", "1", "runtime", "Cargo.toml:4"), ("b_more", "2", "runtime", "Cargo.toml:5"),
         ("bb", "3", "runtime", "Cargo.toml:6"), ("b", "4", "runtime", "Cargo.toml:8")],
    ),
    "maven, with what its parent says": (
        {"pom.xml": "<project><groupId>g</groupId><artifactId>p</artifactId><packaging>pom"
         "</packaging><properties><v>1</v></properties><dependencyManagement><dependencies>"
         "<dependency><groupId>x</groupId><artifactId>y</artifactId><version>${v}</version>"
         "</dependency></dependencies></dependencyManagement></project>",
         "a/pom.xml": "<project xmlns='urn:m'><parent><groupId>g</groupId></parent>\n"
         "<artifactId>a</artifactId><dependencies>\n<dependency><groupId>x</groupId>"
         "<artifactId>y</artifactId></dependency>\n<dependency><groupId>t</groupId><artifactId>u"
         "</artifactId><scope>test</scope></dependency></dependencies></project>", "a/A.java": ""},
        [("x:y", "1", "runtime", "a/pom.xml:3"), ("t:u", None, "development", "a/pom.xml:4")],
    ),
    "gradle, with a catalog": (
        {"gradle/libs.versions.toml": "[versions]\nx = '2'\n[libraries]\na-b = {module = 'g:a', "
         "version.ref = 'x'}\n[plugins]\np = 'q.r:3'\n",
         "build.gradle.kts": "plugins {\n  alias(libs.plugins.p)\n}\ndependencies {\n"
         "  implementation(libs.a.b) // api(\"no:no:1\")\n  testImplementation(\"t:u:1\")\n"
         "  compileOnly 'v:w:2'\n}\n", "A.kt": ""},
        [("q.r", "3", "development", "build.gradle.kts:2"),
         ("g:a", "2", "runtime", "build.gradle.kts:5"),
         ("t:u", "1", "development", "build.gradle.kts:6"),
         ("v:w", "2", "optional", "build.gradle.kts:7")],
    ),
    ".NET, with central versions": (
        {"Directory.Packages.props": "<Project><ItemGroup><PackageVersion Include='A' Version='1'/>"
         "</ItemGroup></Project>",
         "Directory.Build.props": "<Project><ItemGroup>\n<PackageReference Include='B' Version='2' "
         "PrivateAssets='all'/></ItemGroup></Project>",
         "a/a.csproj": "\ufeff<Project Sdk='Microsoft.NET.Sdk'><ItemGroup>\n<PackageReference "
         "Include='A'/></ItemGroup></Project>", "a/A.cs": ""},
        [("A", "1", "runtime", "a/a.csproj:2"),
         ("B", "2", "development", "Directory.Build.props:2")],
    ),
    "Ruby": (
        {"Gemfile": "gem 'a', '~> 1'\ngroup :test do\n  gem 'b'\nend\n# gem 'no'\ngem 'c'\n",
         "a.rb": ""},
        [("a", "~> 1", "runtime", "Gemfile:1"), ("b", None, "development", "Gemfile:3"),
         ("c", None, "runtime", "Gemfile:6")],
    ),
    "PHP": (
        {"composer.json": '{"require": {"a/b": "^1"}, "require-dev": {"c/d": "*"}}', "a.php": ""},
        [("a/b", "^1", "runtime", "composer.json:1"),
         ("c/d", "*", "development", "composer.json:1")],
    ),
    "Elixir, Dart": (
        {"mix.exs": '{:a, "~> 1"},\n{:b, "2", only: [:dev, :test]}\n', "lib/a.ex": "",
         "pubspec.yaml": "name: x\ndependencies:\n  c: ^3\n"},
        [("a", "~> 1", "runtime", "mix.exs:1"), ("b", "2", "development", "mix.exs:2"),
         ("c", "^3", "runtime", "pubspec.yaml:3")],
    ),
    "Swift, C++": (
        {"Package.swift": '.package(url: "https://x.y/z/a.git", from: "1.0.0"),\n',
         "CMakeLists.txt": "project(x)\n# find_package(No)\nfind_package(B 1)\n", "a.swift": ""},
        [("B", None, "runtime", "CMakeLists.txt:3"),
         ("a", 'from: "1.0.0"', "runtime", "Package.swift:1")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_dependency_is_known_with_its_version_its_purpose_and_its_line(
    tree: Make, name: str
) -> None:
    contents, expected = CASES[name]
    made = tree(contents)
    (app,) = made.project.apps
    assert [
        (dependency.name, dependency.version, dependency.scope, str(dependency.place))
        for dependency in made.dependencies(app)
    ] == expected


def test_a_manifest_that_cannot_be_read_says_so_and_hinders_nobody(tree: Make) -> None:
    broken: dict[str, Content] = {
        "a/package.json": "{", "b/pyproject.toml": "[", "c/Cargo.toml": "[[", "d/pom.xml": "<a>",
        "e/composer.json": "[]", "f/setup.py": "(" * 9999, "g/x.csproj": "<!DOCTYPE x><x/>",
        "h/setup.cfg": "x", "i/pubspec.yaml": "&a [*a]",
    }  # fmt: skip
    project = tree({**broken, "z/package.json": '{"name": "z"}', "z/z.js": ""}).project
    assert [manifest.path for manifest in project.manifests if manifest.fault] == list(broken)
    assert [app.path for app in project.apps] == ["z"]


def test_a_dependency_of_cargo_for_one_target_has_it_as_its_marker(tree: Make) -> None:
    text = "[package]\nname='a'\n[dependencies]\nb='1'\n[target.'cfg(x)'.dependencies]\nc='2'\n"
    (manifest,) = tree({"Cargo.toml": text, "src/lib.rs": ""}).project.manifests
    assert [(it.name, it.marker) for it in manifest.dependencies] == [("b", ""), ("c", "cfg(x)")]


def test_what_a_used_package_needs_to_run_its_user_needs_too(tree: Make) -> None:
    made = tree(
        {
            "package.json": '{"private": true, "devDependencies": {"lint": "1"}}',
            "a/package.json": '{"name": "a", "dependencies": {"b": "workspace:*"}}', "a/a.js": "",
            "b/package.json": '{"name": "b", "dependencies": {"a": "1", "log": "2"}, '
            '"devDependencies": {"no": "1"}}', "b/b.js": "",
        }
    )  # fmt: skip
    one, other = made.project.apps
    assert (one.uses, other.uses) == (("b",), ("a",))
    assert [dependency.name for dependency in made.dependencies(one, "l*", "no")] == ["lint", "log"]
