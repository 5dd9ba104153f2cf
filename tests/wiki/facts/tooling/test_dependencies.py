import json

import pytest

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import dependencies
from stationmaster.wiki.facts.tooling.dependencies import Package, is_for_tests
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

PYPROJECT = """[project]
name = "shop"
dependencies = ["PyYAML>=6", "httpx", "shop-core"]
[project.optional-dependencies]
ldap = ["python-ldap>3"]
[dependency-groups]
dev = ["pytest>=8"]
"""
CONTENTS = {
    "pyproject.toml": PYPROJECT,
    "uv.lock": "",
    "core/pyproject.toml": "[project]\nname = 'shop-core'\ndependencies = ['httpx~=0.27']\n",
    "shop/__init__.py": "import yaml\n",
    "shop/client.py": "import httpx\n",
    "tests/test_client.py": "import pytest, httpx\n",
}


def found(facts: Facts) -> dict[str, Package]:
    return {each.name.lower(): each for each in dependencies.packages(facts)}


def test_packages_are_those_of_others_with_their_rules_and_places() -> None:
    told = found(facts_of(CONTENTS))
    assert sorted(told) == ["httpx", "pytest", "python-ldap", "pyyaml"]
    assert told["httpx"].versions == ("~=0.27",)
    assert [each.path for each in told["httpx"].places] == ["pyproject.toml", "core/pyproject.toml"]
    assert {name: each.scope for name, each in told.items()} == {
        "httpx": "runtime", "pyyaml": "runtime", "python-ldap": "optional",
        "pytest": "development",
    }  # fmt: skip


def test_a_package_is_used_by_the_modules_whose_files_import_it_by_whatever_name() -> None:
    facts = facts_of(CONTENTS)
    name = found(facts)["pyyaml"].name
    assert dependencies.users(facts, "python", name) == ("modules/shop",)
    assert dependencies.users(facts, "python", "pytest") == ()


def test_where_an_import_may_mean_several_packages_it_means_none() -> None:
    contents = {
        "build.gradle": "dependencies {\n  implementation 'org.acme.web:core:1'\n"
        "  implementation 'org.acme.web:extra:1'\n}\n"
    }
    assert [
        each.name for each in dependencies.packages(facts_of(contents))
    ] == ["org.acme.web:core", "org.acme.web:extra"]  # fmt: skip
    assert dependencies._modules(facts_of(contents)) == {}


def test_addresses_are_no_versions_and_may_hold_secrets() -> None:
    said = json.dumps({"name": "x", "dependencies": {"a": "git+https://token@example.com/a.git"}})
    assert found(facts_of({"package.json": said}))["a"].versions == ()


def test_packages_of_python_are_imported_in_any_case_and_not_only_for_work() -> None:
    facts = facts_of({
        "pyproject.toml": "[project]\nname = 'shop'\n"
        "dependencies = ['tillprinter', 'Tin_Cans', 'opencv-python-headless']\n"
        "[project.optional-dependencies]\ntests = ['sentry-sdk', 'pytest']\n",
        "shop/__init__.py": "",
        "shop/app.py": "import cv2\nimport sentry_sdk\nfrom TillPrinter import show\n"
        "from tin_cans import Tin\n",
        "tests/test_app.py": "import pytest\n",
    })  # fmt: skip
    rows = {it.name: it for it in dependencies.packages(facts)}
    assert {name: it.scope for name, it in rows.items()} == {
        "tillprinter": "runtime", "tin-cans": "runtime", "opencv-python-headless": "runtime",
        "sentry-sdk": "optional", "pytest": "development",
    }  # fmt: skip
    for name in rows.keys() - {"pytest"}:
        assert dependencies.users(facts, "python", name), name


def test_what_only_tests_of_go_import_is_for_development() -> None:
    contents = {
        "go.mod": "module example.com/shop\n\nrequire github.com/stretchr/testify v1.9.0\n",
        "a.go": "package shop\n",
        "a_test.go": 'package shop\n\nimport "github.com/stretchr/testify/assert"\n',
    }
    (package,) = dependencies.packages(facts_of(contents))
    assert (package.scope, package.places) == ("development", (Place("go.mod", 3),))


def test_ecosystems_have_their_lock_files() -> None:
    assert dependencies.locks(facts_of(CONTENTS)) == {"python": ("uv.lock",)}


def test_an_optional_package_has_its_extra_and_what_stands_beside_the_project_is_for_work() -> None:
    told = found(facts_of({**CONTENTS, "requirements.txt": "-e .[ldap]\nmypy==1\n"}))
    assert told["python-ldap"].extras == ("ldap",)
    assert told["mypy"].scope == "development"


def test_a_gem_is_used_where_its_constant_is_named_without_an_import() -> None:
    facts = facts_of({
        "Gemfile": "gem 'faraday'\ngem 'faraday-follow_redirects'\ngem 'ruby-vips'\n",
        "lib/send.rb": "class Send\n  def call\n    Faraday.post(1)\n  end\nend\n",
        "app/follow.rb": "USE = Faraday::FollowRedirects::Middleware\nVips::Image.new\n",
    })  # fmt: skip
    assert dependencies._by_constant(facts) == {
        "faraday": ("lib/send.rb",), "faraday-follow_redirects": ("app/follow.rb",),
        "ruby-vips": ("app/follow.rb",),
    }  # fmt: skip


def test_packages_of_the_repository_build_on_each_other_by_the_names_of_their_manifests() -> None:
    names, pairs = dependencies.inside(facts_of(CONTENTS))
    assert (names, pairs) == ({".": "shop", "core": "shop-core"}, ((".", "core"),))


@pytest.mark.parametrize(("path", "name"), [
    (".github/dependabot.yml", "Dependabot"), ("renovate.json", "Renovate"),
])  # fmt: skip
def test_who_proposes_newer_versions_is_who_has_a_file_for_it(path: str, name: str) -> None:
    assert dependencies.updater(facts_of({path: "{}"})) == (name, Place(path))
    assert dependencies.updater(facts_of({"src/renovate.json": "{}"})) is None


@pytest.mark.parametrize(("name", "is_one"), [
    ("pytest-cov", True), ("Mocha", True), ("org.mockito:mockito-core", True), ("celery", False),
])  # fmt: skip
def test_packages_for_tests_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert is_for_tests(name) is is_one


def test_what_is_needed_for_development_alone_is_not_drawn() -> None:
    manifests = {
        "a/package.json": '{"name": "a", "dependencies": {"b": "1"},'
        ' "devDependencies": {"c": "1"}}',
        "b/package.json": '{"name": "b"}',
        "c/package.json": '{"name": "c"}',
        "package.json": '{"name": "all", "workspaces": ["a", "b", "c"]}',
    }
    assert dependencies.inside(facts_of(manifests))[1] == (("a", "b"),)


def test_what_the_root_asks_for_belongs_to_the_workspaces_that_import_it() -> None:
    files = {
        "package.json": '{"name": "all", "workspaces": ["apps/*"], "dependencies": {"b": "1"}}',
        "apps/a/package.json": '{"name": "a"}',
        "apps/a/index.ts": "import { b } from 'b';\n",
        "apps/b/package.json": '{"name": "b", "main": "index.ts"}',
        "apps/b/index.ts": "export const b = 1;\n",
        "apps/c/package.json": '{"name": "c"}',
        "apps/c/index.test.ts": "import { b } from 'b';\n",
    }
    pairs = dependencies.inside(facts_of(files))[1]
    assert pairs == ((".", "apps/b"), ("apps/a", "apps/b"))


def test_a_manifest_that_tests_read_asks_for_nothing() -> None:
    facts = facts_of({
        "package.json": '{"dependencies": {"react": "^19"}}',
        "tests/highlighting/source/Cargo.toml": '[dependencies]\nleft = "1"\n',
        "tests/browser/requirements.txt": "playwright==1\n",
        "tests/browser/test_login.py": "import playwright\n",
    })  # fmt: skip
    assert [package.name for package in dependencies.packages(facts)] == ["react", "playwright"]


def test_a_crate_is_imported_with_underscores_for_its_hyphens() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n[dependencies]\nfutures-lite = "2"\n',
        "src/main.rs": "use futures_lite::FutureExt;\nfn main() {}\n",
    })  # fmt: skip
    assert dependencies.users(facts, "rust", "futures-lite")


def test_an_artifact_is_imported_by_its_group_and_name_or_by_a_name_that_says_enough() -> None:
    names = ["org.acme:till", "org.acme:web", "io.other:receipts", "org.acme:core"]
    asked = "".join(f"  implementation '{name}:1'\n" for name in names)
    used = ["org.acme.till.Till", "com.paper.receipts.Receipt", "org.acme.money.Coin"]
    code = "package shop;\n" + "".join(f"import {name};\n" for name in used) + "class Shop {}\n"
    facts = facts_of({
        "build.gradle": f"dependencies {{\n{asked}}}\n", "src/main/java/shop/Shop.java": code,
    })  # fmt: skip
    assert {name: bool(dependencies.users(facts, "gradle", name)) for name in names} == {
        "org.acme:till": True, "org.acme:web": False, "io.other:receipts": True,
        "org.acme:core": False,
    }  # fmt: skip


def test_the_only_artifact_of_a_group_is_imported_by_packages_of_the_group() -> None:
    names = ["io.wire:wire-codec", "org.frame:frame-context", "org.frame.boot:frame-boot-web"]
    asked = "".join(f"  implementation '{name}:1'\n" for name in names)
    code = "package shop;\nimport io.wire.channel.Channel;\nimport org.frame.sql.Rows;\n"
    facts = facts_of({
        "build.gradle": f"dependencies {{\n{asked}}}\n",
        "src/main/java/shop/Shop.java": f"{code}class Shop {{}}\n",
    })  # fmt: skip
    used = [name for name in names if dependencies.users(facts, "gradle", name)]
    assert used == ["io.wire:wire-codec"]


def test_what_only_work_on_the_product_needs_is_for_development() -> None:
    told = found(facts_of({
        "setup.py": "setup(name='shop', install_requires=['six'], extras_require={\n"
        "  ':python_version<\"3\"': ['pathlib2<3'], ':python_version>=\"3\"': ['pathlib2']})\n",
        "requirements.txt": "flake8\nmock\ntwine\ncelery\nyarl; python_version < '4'\n",
        "shop/__init__.py": "import celery, yarl, six\n",
        "Cargo.toml": "[package]\nname = 'till'\n[dev-dependencies]\ntill-testing = '1'\n",
        "till-testing/Cargo.toml": "[package]\nname = 'till-testing'\n[dependencies]\nlog = '1'\n",
        "till-testing/src/lib.rs": "", "src/lib.rs": "",
    }))  # fmt: skip
    assert {name: each.scope for name, each in told.items()} == {
        "celery": "runtime", "yarl": "runtime", "six": "runtime", "pathlib2": "runtime",
        "flake8": "development", "mock": "development", "twine": "development",
        "log": "development",
    }  # fmt: skip
    assert told["pathlib2"].versions == ('<3 if python_version<"3"', 'any if python_version>="3"')
    assert (told["yarl"].versions, told["pathlib2"].extras) == (
        ("any if python_version < '4'",),
        (),
    )


def test_what_code_of_a_package_imports_is_optional_where_only_developers_install_it() -> None:
    told = found(facts_of({
        "setup.py": "setup(name='shop')\n", "requirements/dev.txt": "redis\nflask\npylint\n",
        "shop/__init__.py": "try:\n    import redis\nexcept ImportError:\n    redis = None\n",
        "docs_src/__init__.py": "import flask\n",
    }))  # fmt: skip
    assert {name: each.scope for name, each in told.items()} == {
        "redis": "optional", "flask": "development", "pylint": "development",
    }  # fmt: skip


def test_what_a_gemfile_asks_for_beside_the_description_of_a_gem_is_for_development() -> None:
    facts = facts_of({
        "shop.gemspec": "Gem::Specification.new do |s|\n  s.name = 'shop'\n"
        "  s.add_runtime_dependency('liquid', '~> 4.0')\nend\n",
        "Gemfile": "source 'x'\ngemspec\ngem 'rake'\n",
        "site/Gemfile": "source 'x'\ngem 'puma'\n",
    })  # fmt: skip
    assert [(each.name, each.scope) for each in dependencies.packages(facts)] == [
        ("liquid", "runtime"), ("puma", "runtime"), ("rake", "development")
    ]  # fmt: skip
