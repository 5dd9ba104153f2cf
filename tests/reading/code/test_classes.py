"""Which kind of file each one is: by where it lies, how it is called, what it says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stationmaster.pipelines import scan as pipelines
from stationmaster.reading.code import classes, looks, reading
from stationmaster.reading.code.classes import Inventory
from stationmaster.reading.projects import reading as projects
from tests.support.trees import Content, files_of


def inventory(contents: Mapping[str, Content], *ignored: str) -> Inventory:
    files = files_of(contents)
    project = projects.read(files, pipelines.scan(files))
    return classes.sort(files, project.products, ignored)


def kind(path: str, **others: Content) -> str:
    return inventory({path: "x\n", **others}).records[path].file_class


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app/main.py", "source"),
        ("src/app/migrations/0001_first.py", "source"),
        ("lib/tool.ex", "source"),
        ("src/internal/build/steps.go", "source"),
        ("src/main/java/com/example/demo/App.java", "source"),
        ("tests/test_main.py", "test"),
        ("pkg/server_test.go", "test"),
        ("src/app.spec.ts", "test"),
        ("shop/tests.py", "test"),
        ("t/basic.t", "test"),
        ("locales/it/shop.php", "source"),
        ("tests/cases/answer.json", "fixture"),
        ("pkg/testdata/big.go", "fixture"),
        ("src/__mocks__/fs.ts", "fixture"),
        ("vendor/lib/a.go", "vendored"),
        ("ui/node_modules/x/index.js", "vendored"),
        ("third_party/zlib/zlib.c", "vendored"),
        ("dist/app.js", "generated"),
        ("static/jquery.min.js", "generated"),
        ("api/service_pb2.py", "generated"),
        ("api/service.pb.go", "generated"),
        ("Form.Designer.cs", "generated"),
        ("package-lock.json", "generated"),
        ("_ide_helper_models.php", "generated"),
        (".phpstorm.meta.php", "generated"),
        ("public/build/assets/app.js", "generated"),
        ("web/assets/main.7f3b69b7.chunk.js", "generated"),
        ("web/assets/2026-10241024.js", "source"),
        ("web/assets/app.defaced.js", "source"),
        ("examples/hello/main.py", "docs"),
        ("docs/conf.py", "docs"),
        ("README.md", "docs"),
        ("pyproject.toml", "config"),
        ("Makefile", "config"),
        (".github/workflows/ci.yml", "ci"),
        ("Jenkinsfile", "ci"),
        ("Dockerfile", "infra"),
        ("deploy/main.tf", "infra"),
        ("docker-compose.yml", "infra"),
        ("db/structure.sql", "schema"),
        ("api/user.proto", "schema"),
        ("data/cities.csv", "data"),
        ("web/logo.png", "asset"),
        ("web/style.css", "asset"),
        ("tools/app.jar", "binary"),
        ("what.is-this", "unknown"),
    ],
)
def test_a_name_and_a_place_tell_the_kind(path: str, expected: str) -> None:
    assert kind(path) == expected


@pytest.mark.parametrize(
    ("path", "grammar"),
    [("src/lexer.c", "src/lexer.l"), ("src/JsonParser.java", "src/Json.g4")],
)
def test_a_parser_beside_its_grammar_was_made_of_it(path: str, grammar: str) -> None:
    assert inventory({path: "x", grammar: "y"}).records[path].file_class == "generated"
    assert inventory({path: "x"}).records[path].file_class == "source"


def test_documents_with_a_manifest_of_their_own_are_an_application() -> None:
    found = inventory({"docs/package.json": "{}", "docs/site.ts": "x"}).records
    assert found["docs/site.ts"].file_class == "source"


def test_links_and_submodules_are_listed_and_not_followed() -> None:
    found = inventory({"a.py": "x", "link.py": ("120000", "a.py"), "sub": ("160000", "")}).records
    assert list(found) == ["a.py", "link.py", "sub"]
    assert [each.file_class for each in found.values()] == ["source", "symlink", "submodule"]
    assert not found["link.py"].is_code


def test_attributes_win_over_everything_and_the_deepest_and_last_line_wins() -> None:
    marks = "*.gen.py linguist-generated\nlegacy/** linguist-vendored\n"
    marks += "vendor/ours/** -linguist-vendored\n"
    found = inventory({
        ".gitattributes": marks + "art/* binary\nman/*.py linguist-documentation=true\n",
        "legacy/.gitattributes": "kept.py linguist-vendored=false\n",
        "a.gen.py": "x", "legacy/old.py": "x", "legacy/kept.py": "x", "vendor/ours/b.py": "x",
        "vendor/theirs/c.py": "x", "art/d.py": "x", "man/e.py": "x",
    }).records  # fmt: skip
    assert {path: each.file_class for path, each in found.items() if path.endswith(".py")} == {
        "a.gen.py": "generated", "legacy/old.py": "vendored", "legacy/kept.py": "source",
        "vendor/ours/b.py": "source", "vendor/theirs/c.py": "vendored", "art/d.py": "binary",
        "man/e.py": "docs",
    }  # fmt: skip
    assert found["a.gen.py"].why == "attributes"


def test_what_the_settings_leave_out_is_excluded() -> None:
    found = inventory({"old/a.py": "x", "src/b.py": "x", "src/c.py": "x"}, "old", "src/c.*").records
    assert [each.file_class for each in found.values()] == ["excluded", "source", "excluded"]


def test_a_program_without_an_ending_is_read_by_who_runs_it() -> None:
    found = inventory({
        "bin/tool": ("100755", "#!/usr/bin/env python3\n"), "bin/sh": ("100755", "#!/bin/sh\n"),
        "notes": "#!/usr/bin/env python3\n",
    }).records  # fmt: skip
    assert [found[path].language for path in ("bin/tool", "bin/sh", "notes")] == ["Python", "", ""]
    assert found["bin/tool"].is_code


def test_too_many_files_lose_what_tells_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "FILES_MAX", 3)
    told = inventory({"a/b/c.py": "x", "d.py": "x", "e.png": "x", "vendor/f.py": "x", "R.md": "x"})
    assert list(told.records) == ["R.md", "a/b/c.py", "d.py"]
    assert told.dropped == {"asset": 1, "vendored": 1}


def test_too_much_code_is_listed_and_not_read_from_the_deepest_and_largest_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(classes, "BYTES_MAX", 10)
    found = inventory({
        "a.py": "123456", "b.py": "1234", "c/d.py": "1", "test_e.py": "1", "R.md": "12345678901",
    }).records  # fmt: skip
    assert [path for path, each in found.items() if each.is_code] == ["a.py", "b.py"]
    assert [path for path, each in found.items() if each.why == "limit"] == ["c/d.py", "test_e.py"]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"x = 1\n", None),
        (b"// Code generated by mockgen. DO NOT EDIT.\npackage a\n", "generated"),
        (b"#!/usr/bin/env python\n# @generated by tool\n", "generated"),
        (b"/**\n * This file was automatically generated.\n */\n", "generated"),
        (b"// <auto-generated />\n", "generated"),
        (b"<?php\n/**\n * To provide autocomplete information to your IDE\n */\n", "generated"),
        (b"# Generated by Django 4.2 on 2026-01-01\nclass Migration: ...\n", None),
        (b'HEAD = "// Code generated by us. DO NOT EDIT."\n', None),
        (b"# How code is generated by templates\n", None),
        (b"/*\n  Licence\n  Autogenerated by a tool\n*/\npackage a\n", "generated"),
        (b"<?php\n\n'use strict';\n// Automatically generated file\n", "generated"),
        (b"package a\n\n// Id is autogenerated by the hook.\ntype A struct{}\n", None),
        (b"// If no id is set it is autogenerated by the hook.\nexport class A {}\n", None),
        (b"import x\n\n# It is automatically generated from the name.\nNAME = x\n", None),
        (b"import java.x;\n@Generated\nclass A {}\n", None),
        (b"\n" * 100 + b"# Code generated. DO NOT EDIT.\n", None),
        (b"a\0b\n", "binary"),
        (b"<?xml version='1.0'?>\n<TS></TS>", "foreign"),
        (b"<?php\necho 1;\n", None),
        (b"var a=1;" * 300, "minified"),
        (
            b"(function(f){if(typeof exports==='object'){module.exports=f()}})(function(){return "
            b"(function(){return r})()({1:[function(require,module,exports){\n'use strict';\n",
            "bundled",
        ),
        (
            b"/* Licence */\n(function (global, factory) {\n  typeof exports === 'object' && "
            b"typeof module !== 'undefined' ? module.exports = factory() : 0;\n",
            "bundled",
        ),
        (b"(function webpackUniversalModuleDefinition(root, factory) {\n", "bundled"),
        (b"/******/ (function(modules) { // webpackBootstrap\n", "bundled"),
        (b"// Reads what webpackBootstrap wrote.\nmodule.exports = {}\n", None),
        (b"x = '" + b"a" * 6_000 + b"'\n" + b"y = 1\n" * 200, "long-lines"),
        (b"[\n" * 501 + b"]\n" * 501, "nested"),
        (b"[]\n" * 2_000, None),
        (b"x\n" * 600_000, "too-large"),
        (b"", None),
    ],
)
def test_bytes_tell_what_is_not_worth_parsing(data: bytes, status: str | None) -> None:
    assert looks.status(data) == status


@pytest.mark.parametrize(
    ("data", "language"),
    [
        (b"namespace a {\n", "C++"),
        (b"template <typename T>\n", "C++"),
        (b"class A : public B {\n public:\n", "C++"),
        (b"struct class *made; int namespace;\n", "C"),
        (b"typedef struct { int a; } A;\n", "C"),
    ],
)
def test_a_header_says_itself_whether_it_is_cpp(data: bytes, language: str) -> None:
    assert looks.dialect("C", data) == language
    assert looks.dialect("Go", data) == "Go"


def test_what_the_bytes_add_is_settled_afterwards() -> None:
    records = dict(inventory({"a.py": "x", "b.py": "x"}).records)
    classes.settle(records, {"a.py": ("generated", ""), "b.py": ("ok", "")})
    assert [each.file_class for each in records.values()] == ["generated", "source"]
    assert records["a.py"].why == "header"


def test_a_file_called_only_test_is_one_if_it_holds_tests() -> None:
    records = dict(inventory({"test.py": "x", "src/test.py": "x"}).records)
    assert [each.file_class for each in records.values()] == ["source", "source"]
    classes.settle(records, {"test.py": ("ok", ""), "src/test.py": ("ok", "")}, ["test.py"])
    assert {path: each.file_class for path, each in records.items()} == {
        "test.py": "test", "src/test.py": "source",
    }  # fmt: skip


def test_source_and_data_of_a_project_that_exists_only_for_tests_belong_to_the_tests() -> None:
    files = {"speed/Run.cs": "x", "speed/rows.json": "{}", "src/Till.cs": "x", "Shop.cs": "x"}
    records = dict(inventory(files).records)
    classes.settle(records, {}, projects={"speed": True, "src": False, ".": False})
    assert {path: row.file_class for path, row in records.items()} == {
        "Shop.cs": "source", "speed/Run.cs": "test", "speed/rows.json": "fixture",
        "src/Till.cs": "source",
    }  # fmt: skip


def test_modules_of_rust_that_are_compiled_for_tests_alone_are_tests() -> None:
    text = b"mod shop;\n#[cfg(test)]\nmod testing;\n"
    code = {path: reading.read("Rust", text) for path in ("src/lib.rs", "src/till.rs")}
    assert set(classes.compiled_for_tests(code)) == {
        "src/testing.rs", "src/testing/mod.rs", "src/till/testing.rs", "src/till/testing/mod.rs",
    }  # fmt: skip


def test_what_source_beside_it_imports_and_has_no_test_is_no_test_for_its_name() -> None:
    contents = {
        "bin/fill.py": "from test_lists import lists\n",
        "bin/test_lists.py": "def lists(): return 1\n",
        "bin/test_alone.py": "def rows(): return 1\n",
        "tests/test_rows.py": "from test_lists import lists\ndef test_x(): pass\n",
    }
    records = dict(inventory(contents).records)
    code = {path: reading.read("Python", text.encode()) for path, text in contents.items()}
    helpers = [*classes.called_as_tests(records, code)]
    assert helpers == ["bin/test_lists.py"]
    classes.settle(records, {}, helpers=helpers)
    assert records["bin/test_lists.py"].file_class == "source"


def test_a_folder_marked_as_vendored_is_ours_where_the_makefile_builds_its_private_package() -> (
    None
):
    files = {
        ".gitattributes": "web/* linguist-vendored\nlib/** linguist-vendored\n",
        "web/package.json": '{"name": "web", "private": true}',
        "web/src/a.js": "x",
        "lib/package.json": '{"name": "lib", "private": true}',
        "lib/b.js": "x",
    }
    makefile = {"Makefile": "web/dist:\n\tcd web && yarn build\n"}
    for more, kind in ((makefile, "source"), ({}, "vendored")):
        found = inventory({**files, **more}).records
        assert (found["web/src/a.js"].file_class, found["lib/b.js"].file_class) == (
            kind, "vendored",
        )  # fmt: skip
