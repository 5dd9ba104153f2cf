"""Which variables of the environment files read, without parsing the others."""

from __future__ import annotations

import pytest

from stationmaster.reading.code import environment_variables
from stationmaster.reading.code.environment_variables import Variable, variables


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "import os\nos.environ['NAME']\n"),
        ("a.py", "from os import getenv\ngetenv('NAME')\n"),
        ("a.py", "from pydantic_settings import BaseSettings\nclass S(BaseSettings): name: str\n"),
        ("a.py", "import environ\nenv = environ.Env()\nA = env('NAME')\n"),
        ("a.py", "from decouple import config\nA = config('NAME')\n"),
        ("a.ts", "const a = 1;\nexport const b = process.env.NAME;\n"),
        ("a.js", "const { NAME } = process.env;\n"),
        ("a.tsx", "const a = import.meta.env.NAME;\n"),
        ("a.go", 'package a\nimport "os"\nvar a = os.Getenv("NAME")\n'),
        ("a.rb", "a = 1\nENV.fetch('NAME')\n"),
        ("a.php", "<?php\n$a = env('NAME');\n"),
        ("a.php", "<?php\n$a = $_SERVER['NAME'];\n"),
        ("A.java", 'class A { String a = System.getenv("NAME"); }\n'),
        ("A.kt", 'val a = System.getenv("NAME")\n'),
        ("A.cs", 'class A { string a = Environment.GetEnvironmentVariable("NAME"); }\n'),
        ("a.rs", 'fn main() { std::env::var("NAME"); }\n'),
        ("a.rs", 'use std::env;\nfn main() { env::var_os("NAME"); }\n'),
        ("a.rs", 'const A: &str = env!("NAME");\n'),
        ("a.swift", 'let a = ProcessInfo.processInfo.environment["NAME"]\n'),
        ("a.c", '#include <stdlib.h>\nint main() { getenv("NAME"); }\n'),
    ],
)
def test_a_variable_is_read_in_each_language_by_its_own_words(path: str, text: str) -> None:
    assert environment_variables.reads(path)
    assert {each.name for each in variables([(path, text)])} == {"NAME"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", '"""Set os.environ["NAME"]."""\nenviron = {}\nenviron["NAME"]\n'),
        ("a.ts", "// process.env.NAME\nconst a = import.meta.env.DEV;\n"),
        ("a.ts", "const a = process.env[`SHOP_${name}_URL`];\n"),
        ("a.php", "<?php\n$_SERVER['HTTP_HOST']; $_SERVER['argv']; $_SERVER['REQUEST_URI'];\n"),
        ("a.rs", 'const A: &str = env!("CARGO_PKG_VERSION");\n'),
    ],
)
def test_comments_and_what_only_looks_like_one_are_none(path: str, text: str) -> None:
    assert list(variables([(path, text)])) == []


def test_lines_are_counted_and_large_files_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os\n\nos.environ['NAME']\n"
    assert list(variables([("a.py", text)])) == [Variable("a.py", 3, "NAME")]
    assert list(variables([("a.py", text + "#" * environment_variables.SIZE_MAX)])) == []
    monkeypatch.setattr(environment_variables, "BYTES_MAX", 1.5 * len(text))
    assert [each.path for each in variables([("a.py", text), ("b.py", text)])] == ["a.py"]


def test_languages_without_a_parser_are_not_asked() -> None:
    assert not environment_variables.reads("a.ex")
    assert list(variables([("a.ex", 'System.get_env("NAME")\n')])) == []
