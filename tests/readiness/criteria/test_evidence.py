"""What counts as evidence, and what only looks like it: by cause."""

from __future__ import annotations

import json

import pytest

from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.trees import Content, facts_of

CI = ".github/workflows/ci.yml"
JAVA: dict[str, Content] = {
    "build.gradle": "plugins { id 'java' }\n",
    "src/main/java/com/acme/A.java": "class A {}\n",
    "src/test/java/com/acme/ATest.java": "class ATest { @Test void a() {} }\n",
}
PHP: dict[str, Content] = {"composer.json": '{"name": "a/b"}', "src/A.php": "<?php class A {}\n"}
GO: dict[str, Content] = {"go.work": "go 1.24\n\nuse (\n\t./api\n\t./db\n)\n"}
CABAL = """cabal-version: 2.4
name: trains
version: 1.0

library
  exposed-modules: Trains
  build-depends:
    base >= 4 && < 5,
    aeson >= 2
executable trains
  main-is: trains.hs
  build-depends: base, trains
"""


def runs(command: str, *, job: str = "", step: str = "", **files: Content) -> dict[str, Content]:
    text = (
        f"on: push\njobs:\n  a:\n    runs-on: x\n{job}    steps:\n"
        f"      - run: {json.dumps(command)}\n{step}"
    )
    return {CI: text, **files}


def makefile(target: str, document: str = "") -> dict[str, Content]:
    return {**LIBRARY, "Makefile": f"{target}:\n\techo\n", "README.md": document or "# A\n"}


def two_services() -> dict[str, Content]:
    sdk = "<Project Sdk='Microsoft.NET.Sdk.{}'></Project>"
    return {
        "src/Web/Web.csproj": sdk.format("Web"), "src/Web/P.cs": "class P {}\n",
        "src/Job/Job.csproj": sdk.format("Worker"), "src/Job/P.cs": "class P {}\n",
        "package.json": '{"name": "e", "private": true,'
        ' "devDependencies": {"@playwright/test": "1"}}',
    }  # fmt: skip


CASES: list[tuple[str, str, dict[str, Content], str]] = [
    # Commands that leave out what they seem to do.
    *(
        ("unit_tests_runnable", f"by {command}", {**JAVA, **runs(command)}, state)
        for command, state in (
            ("gradle check", "pass"), ("gradle check -x test", "fail"),
            ("gradle build --exclude-task :test", "fail"), ("mvn verify -DskipTests", "fail"),
            ("mvn verify -Dmaven.test.skip=true", "fail"), ("mvn verify -DskipTests=false", "pass"),
            ("gradle test -x :slow:test", "pass"),
        )
    ),
    ("unit_tests_runnable", "by a comparison of paths",
     {**LIBRARY, "tests/test_a.py": "def test_a(): 1\n",
      **runs("if [[ $f == x || $f == scripts/test.py ]]; then echo; fi")}, "fail"),
    ("unit_tests_runnable", "by a job that never runs",
     {**JAVA, **runs("gradle test", job="    if: false\n")}, "fail"),
    ("unit_tests_runnable", "by a step that never runs",
     {**JAVA, **runs("gradle test", step="        if: ${{ false }}\n")}, "fail"),
    ("unit_tests_runnable", "by a job after one that never runs",
     {**JAVA, CI: "on: push\njobs:\n  a:\n    if: false\n    runs-on: x\n"
      "    steps:\n      - run: x\n"
      "  b:\n    needs: a\n    runs-on: x\n    steps:\n      - run: gradle test\n"}, "fail"),
    ("unit_tests_runnable", "by a check of a deployment",
     {"Gemfile": "", "a.rb": "1\n", "spec/a_spec.rb": "it {}\n",
      "lib/tasks/production.rake": "task :check do\n  sh 'ping'\nend\n"}, "fail"),
    ("ci_config", "in a job that never runs",
     {**JAVA, **runs("gradle test", job="    if: false\n")}, "fail"),
    ("ci_config", "by the composite action of somebody else for hooks",
     {**LIBRARY, CI: "on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n"
      "      - uses: acme/actions/pre-commit@v1\n"}, "pass"),
    ("release_automation", "that only checks",
     {**LIBRARY, **runs("yarn release-tool check-cycles")}, "fail"),
    # Names that say something else.
    ("single_command_setup", "", makefile("setup"), "pass"),
    ("single_command_setup", "of one thing", makefile("setup-ssh"), "fail"),
    ("build_cmd_doc", "", makefile("build", "# A\n\n```sh\nmake build\n```\n"), "pass"),
    ("build_cmd_doc", "that builds nothing",
     makefile("switch-env", "# A\n\n```sh\nmake switch-env ENV=x\n```\n"), "fail"),
    ("build_cmd_doc", "of something else",
     {**LIBRARY, "README.md": "# A\n\n```sh\ncurl -O $MIRROR/ruby.tar.gz\ntar xf ruby.tar.gz\n"
      "./configure\nmake\n```\n"}, "fail"),
    ("env_template", "of an editor",
     {**SERVICE, "a.js": "process.env.SHOP_KEY\n", ".vscode/settings.example.json": "{}"}, "fail"),
    ("secrets_management", "to attest a release",
     {**SERVICE, CI: "on: push\npermissions:\n  id-token: write\njobs:\n  a:\n    runs-on: x\n"
      "    steps:\n      - uses: actions/attest-build-provenance@v1\n"}, "skipped"),
    ("secrets_management", "to sign in",
     {**SERVICE, CI: "on: push\npermissions:\n  id-token: write\njobs:\n  a:\n    runs-on: x\n"
      "    steps:\n      - uses: aws-actions/configure-aws-credentials@v1\n"}, "pass"),
    ("min_release_age", "of one dependency",
     {"requirements.txt": "b==1\n", "a.py": "import b\n", "renovate.json":
      '{"packageRules": [{"matchDepNames": ["msrv"], "minimumReleaseAge": "85 days"}]}'}, "fail"),
    ("min_release_age", "of all of a kind",
     {"requirements.txt": "b==1\n", "a.py": "import b\n", "renovate.json":
      '{"packageRules": [{"matchManagers": ["pip"], "minimumReleaseAge": "8 days"}]}'}, "pass"),
    ("health_checks", "of others",
     {"go.mod": "module a\n\nrequire github.com/gin-gonic/gin v1.0.0\n",
     "main.go": "package main\nfunc main() { h.Emit(ctx, \"healthy\", x) }\n"}, "fail"),
    ("single_command_setup", "in a page on a feature",
     {**LIBRARY, "README.md": "# A\n", "docs/ECH.md": "# E\n\n```sh\n./configure\nmake\n```\n"},
     "fail"),
    ("single_command_setup", "in a page on building",
     {**LIBRARY, "README.md": "# A\n", "docs/BUILD.md": "# E\n\n```sh\n./configure\nmake\n```\n"},
     "pass"),
    ("integration_tests_exist", "of pages, for a worker",
     {**two_services(), "e2e/shop.spec.ts": "test(1)\n", "playwright.config.ts": ""}, "partial"),
    ("integration_tests_exist", "of Elixir",
     {"mix.exs": "defmodule A do\n  def project, do: [app: :a]\nend\n", "lib/a.ex": "1\n",
      "integration_test/cases/repo.exs": "test \"a\" do end\n"}, "pass"),
    # Pages may tell how to debug.
    ("test_isolation", "though a page tells how to debug one",
     {"package.json": '{"name": "a", "version": "1", "main": "a.js",'
      ' "devDependencies": {"jest": "1"}}',
      "a.js": "1\n", "a.test.js": "test(1)\n", "README.md": "```sh\nnpx jest --runInBand a\n```\n"},
     "pass"),
    # What a repository refers to within itself.
    ("database_schema", "of a module that it uses",
     {**GO, "api/go.mod": "module acme.dev/api\n\nrequire (\n\tacme.dev/db v0.0.0\n"
      "\tgithub.com/jackc/pgx/v5 v5.0.0\n)\n",
      "api/main.go": "package main\nfunc main() { http.ListenAndServe(a, b) }\n",
      "db/go.mod": "module acme.dev/db\n", "db/db.go": "package db\n",
      "db/migrations/001_a.sql": "CREATE TABLE a (b int);\n"}, "pass"),
    ("database_schema", "of a module that it does not use",
     {**GO, "api/go.mod": "module acme.dev/api\n\nrequire github.com/jackc/pgx/v5 v5.0.0\n",
      "api/main.go": "package main\nfunc main() { http.ListenAndServe(a, b) }\n",
      "web/go.mod": "module acme.dev/web\n",
      "web/main.go": "package main\nfunc main() { http.ListenAndServe(a, b) }\n",
      "db/go.mod": "module acme.dev/db\n", "db/db.go": "package db\n",
      "db/migrations/001_a.sql": "CREATE TABLE a (b int);\n"}, "fail"),
    ("database_schema", "of a project that it refers to",
     {"A.sln": "", "src/Api/Api.csproj": "<Project Sdk='Microsoft.NET.Sdk.Web'><ItemGroup>"
      "<ProjectReference Include='..\\Infra\\Infra.csproj'/><PackageReference Include='Npgsql'/>"
      "</ItemGroup></Project>", "src/Api/Program.cs": "class P {}\n",
      "src/Infra/Infra.csproj": "<Project Sdk='Microsoft.NET.Sdk'></Project>",
      "src/Infra/I.cs": "class I {}\n", "src/Infra/Migrations/001_A.cs": "class A {}\n"}, "pass"),
    ("test_isolation", "of a library that others ask for",
     {"go.mod": "module a\n\nrequire "
      "github.com/testcontainers/testcontainers-go v1.0.0 // indirect\n",
      "a.go": "package a\n", "a_test.go": "package a\nfunc TestA(t *testing.T) {}\n"}, "fail"),
    # Tools that are configured elsewhere.
    ("strict_typing", "by a configuration that a command names",
     {**PHP, "tools/stan.neon": "parameters:\n    level: 8\n", "composer.json":
      '{"name": "a/b", "scripts": {"stan": "phpstan analyse --configuration=tools/stan.neon"}}'},
     "pass"),
    ("strict_typing", "by a low level",
     {**PHP, "phpstan.neon": "parameters:\n    level: 5\n"}, "fail"),
    ("type_check", "by a target of that name",
     {"package.json": '{"name": "a", "version": "1", "main": "a.js"}', "a.ts": "1\n",
      "tsconfig.json": "{}", "Makefile": "tscheck:\n\tnode Makefile.js tscheck\n"}, "pass"),
    ("integration_tests_exist", "in Python, of what is compiled",
     {"CMakeLists.txt": "project(a)\nadd_executable(a a.c)\n", "a.c": "int main() {}\n",
      "tests/http/conftest.py": "import pytest\n", "tests/http/test_a.py": "def test_a(): 1\n"},
     "pass"),
    ("integration_tests_exist", "of Laravel",
     {**PHP, "tests/Feature/ATest.php": "<?php class ATest { function testA() {} }\n"}, "pass"),
    ("deps_pinned", "of Cabal, without a freeze file",
     {"trains.cabal": CABAL, "src/Trains.hs": "module Trains where\n"}, "fail"),
    ("deps_pinned", "of Cabal",
     {"trains.cabal": CABAL, "src/Trains.hs": "module Trains where\n",
      "cabal.project.freeze": "constraints: any.aeson ==2.2\n"}, "pass"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "case", "contents", "state"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_evidence_says_what_is_claimed(
    name: str, case: str, contents: dict[str, Content], state: str
) -> None:
    evaluation = judged(name, facts_of(contents))

    assert evaluation.state == state, evaluation.rationale


def test_c_is_called_by_its_name() -> None:
    facts = facts_of({
        "CMakeLists.txt": "project(a)\nadd_executable(a a.c)\n", "a.c": "int main() {}\n",
        "docs/requirements.txt": "sphinx\n",
    })  # fmt: skip

    evaluation = judged("type_check", facts)

    assert evaluation.rationale == "The compiler of C checks types (CMakeLists.txt)."
