import json

import pytest

from stationmaster.wiki.facts.tooling import tasks
from stationmaster.wiki.facts.tooling.named import in_order, is_open, steps
from tests.wiki.commits import facts_of


def steps_of(contents: dict[str, str], purpose: str) -> list[tuple[str, str]]:
    """What the command to begin with runs, and where that stands."""
    facts = facts_of(contents)
    task = tasks.best(facts, purpose)
    assert task is not None
    rows = steps(facts, task.place.path, task.name)
    return [(row.text, f"{row.place.path}:{row.place.line}") for row in rows]


def test_a_target_runs_what_it_needs_first_and_each_target_once() -> None:
    makefile = (
        "build: assets generate\n\tgo build ./...\n\n"
        "assets: generate\n\t@echo assets\n\tcd web && npm run build\n\n"
        "generate:\n\tgo generate ./...\n"
    )
    assert steps_of({"Makefile": makefile}, "build") == [
        ("go generate ./...", "Makefile:9"),
        ("cd web && npm run build", "Makefile:6"),
        ("go build ./...", "Makefile:2"),
    ]


def test_a_target_that_a_line_starts_runs_again_without_what_it_needs() -> None:
    makefile = (
        "test: build stop\n\t@$(MAKE) unit\n\t@$(MAKE) stop\n\n"
        "build:\n\tgo build ./...\n\nunit: build\n\tgo test ./...\n\n"
        "stop:\n\tredis-cli shutdown\n\t$(MAKE) test\n"
    )
    rows = steps(facts_of({"Makefile": makefile}), "Makefile", "test")
    assert [it.text for it in rows] == [
        "go build ./...", "redis-cli shutdown", "go test ./...", "redis-cli shutdown",
    ]  # fmt: skip


def test_a_target_of_an_included_file_is_followed() -> None:
    contents = {
        "Makefile": "include Makefile.common\n\ntest: common-test\n",
        "Makefile.common": "common-test:\n\tgo test ./...\n\n$(DIR):\n\tmkdir -p $@\n",
    }
    assert steps_of(contents, "test") == [("go test ./...", "Makefile.common:2")]


def test_targets_of_a_pattern_need_what_it_makes_of_their_names() -> None:
    makefile = (
        "test: bin/unit\n\tbin/unit tests\n\n"
        "bin/lint bin/unit : bin/% : lib/%\n\tln -sf $< $@\n\n"
        "lib/lint lib/unit &:\n\tbundle install\n"
    )
    assert [text for text, _ in steps_of({"Makefile": makefile}, "test")] == [
        "bundle install", "ln -sf lib/unit bin/unit", "bin/unit tests",
    ]  # fmt: skip


def test_a_step_for_files_that_the_makefile_does_not_name_is_open() -> None:
    makefile = "build:\n\tcc -o $@ $^\n\techo $$@ > log\n"
    rows = steps(facts_of({"Makefile": makefile}), "Makefile", "build")
    assert [is_open(row) for row in rows] == [True, False]


def test_a_step_in_a_branch_of_a_condition_is_known_as_one() -> None:
    makefile = "build:\nifdef FAST\n\tgo build ./fast\nelse\n\tgo build ./...\nendif\n\ttouch x\n"
    rows = steps(facts_of({"Makefile": makefile}), "Makefile", "build")
    assert [row.is_conditional for row in rows] == [True, True, False]
    script = (
        "build:\n    #!/bin/sh\n    if [ $1 = x ]; then\n      make a\n    else\n      make b\n"
        "    fi\n"
        "    for it in 1 2; do make $it; done\n"
    )
    rows = steps(facts_of({"justfile": script}), "justfile", "build")
    assert [(row.text, row.is_conditional) for row in rows] == [
        ("make a", True), ("make b", True), ("for it in 1 2; do make $it; done", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scripts", "ran"),
    [
        (
            {"build": "npm run clean && npm run compile", "clean": "rimraf dist", "compile": "tsc"},
            ["rimraf dist", "tsc"],
        ),
        ({"build": "run-s build:*", "build:js": "vite build", "build:css": "sass ."},
         ["vite build", "sass ."]),
        ({"prebuild": "node make.js", "build": "tsc -b"}, ["node make.js", "tsc -b"]),
        ({"build": "cd web && npm run build"}, ["cd web && npm run build"]),
    ],
)  # fmt: skip
def test_a_script_is_taken_apart_into_those_that_it_starts(
    scripts: dict[str, str], ran: list[str]
) -> None:
    contents = {"package.json": json.dumps({"scripts": scripts}, indent=1), "package-lock.json": ""}
    assert [text for text, _ in steps_of(contents, "build")] == ran


def test_a_script_that_starts_itself_ends() -> None:
    scripts = json.dumps({"scripts": {"build": "npm run all", "all": "npm run build"}})
    assert steps_of({"package.json": scripts}, "build") == []


def test_scripts_that_run_at_the_same_time_have_no_order() -> None:
    scripts = {"scripts": {"build": "run-p build:*", "build:js": "tsc", "build:css": "sass ."}}
    task = tasks.best(facts_of({"package.json": json.dumps(scripts)}), "build")
    assert task is not None
    assert not in_order(task)


TOX = (
    "[tox]\nenvlist =\n    lint\n    py{312,313}\n    # the oldest\n    min\n\n"
    "[testenv]\ncommands =\n    pip install -e .\n    pytest \\\n      tests {posargs}\n\n"
    "[testenv:lint]\ncommands = ruff check .\n\n"
    "[testenv:run_self]\ncommands =\n    pip install -e .\n    ruff check src\n"
)


def test_environments_that_test_are_asked_for_alone_where_the_runner_has_a_list() -> None:
    facts = facts_of({"tox.ini": TOX})
    assert steps_of({"tox.ini": TOX}, "test") == [
        ("pip install -e .", "tox.ini:10"),
        ("pytest tests {posargs}", "tox.ini:11"),
    ]
    best = tasks.best(facts, "test")
    assert best is not None
    assert best.text == "tox -e py"


def test_a_bare_runner_is_enough_where_it_has_no_list() -> None:
    best = tasks.best(facts_of({"tox.ini": "[testenv]\ncommands = pytest\n"}), "test")
    assert best is not None
    assert best.text == "tox"


def test_what_ends_with_checks_starts_nothing_whatever_it_is_called() -> None:
    assert tasks.best(facts_of({"tox.ini": TOX}), "run") is None


def test_a_script_of_a_package_is_no_target_of_the_same_name() -> None:
    make = "build:\n\tmkdir out\n\ninstall:\n\tnpm ci\n\tnpm run build\n\tmake build\n"
    facts = facts_of({"Makefile": make, "package.json": '{"scripts": {"build": "vite build"}}'})
    made = [step.text for step in steps(facts, "Makefile", "install")]
    assert made == ["npm ci", "npm run build", "mkdir out"]


def test_what_a_makefile_says_of_itself_is_no_step() -> None:
    makefile = "test:\n\t$(info Running all tests)\n\tset -e\n\tgo test ./...\n"
    assert steps_of({"Makefile": makefile}, "test") == [("go test ./...", "Makefile:4")]
    task = tasks.best(facts_of({"Makefile": makefile.replace("\tset -e\n", "")}), "test")
    assert task is not None
    assert task.runs == "go test ./..."


def test_a_target_whose_name_is_a_variable_is_run_for_what_needs_it() -> None:
    makefile = (
        "DIST := web/dist\nBIN = $(OUT)/shop\nOUT := bin\n\nbuild: $(BIN)\n\n"
        "$(BIN): main.go $(DIST)\n\tgo build -o ${BIN} ./cmd\n\n"
        "$(DIST): $(wildcard web/*)\n\tcd web && npm run build\n\n"
        "HIDDEN := _made.yaml\n$(HIDDEN):\n\tmake-it\n\n"
        "$(HOME)/bin/tool:\n\tgo install tool\n"
    )
    assert steps_of({"Makefile": makefile}, "build") == [
        ("cd web && npm run build", "Makefile:11"),
        ("go build -o ${BIN} ./cmd", "Makefile:8"),
    ]
