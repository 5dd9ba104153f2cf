from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from stationmaster.agents import languages
from stationmaster.catalogue import file_languages


@pytest.mark.parametrize(
    ("path", "extension", "language"),
    [
        ("/home/dev/calc.py", "py", "Python"),
        ("C:\\code\\main.go", "go", "Go"),
        ("archive.tar.gz", "gz", None),
        (".hidden", "", None),
        ("notes.", "", None),
        ("", "", None),
        ("/a.b/plain", "", None),
        ("x.not a suffix at all", "", None),
        ("x." + "y" * 100, "", None),
        ("a/..", "", None),
        (".eslintrc.js", "js", "JavaScript"),
    ],
)
def test_extension_and_language_come_from_the_last_part_of_the_path(path, extension, language):
    assert languages.of_path(path) == (extension, language)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("/home/dev.d/Dockerfile", "Dockerfile"),
        ("Containerfile", "Dockerfile"),
        ("Dockerfile.prod", "Dockerfile"),
        ("Makefile", "Makefile"),
        ("Makefile.am", "Makefile"),
        ("GNUmakefile", "Makefile"),
        ("CMakeLists.txt", "CMake"),
        ("Justfile", "Just"),
        ("Jenkinsfile", "Groovy"),
        ("Gemfile", "Ruby"),
        ("Rakefile", "Ruby"),
        ("Vagrantfile", "Ruby"),
        ("BUILD", "Starlark"),
        ("BUILD.bazel", "Starlark"),
        ("SConstruct", "Python"),
        (".bashrc", "Shell"),
        (".zshrc", "Shell"),
        (".profile", "Shell"),
        (".vimrc", "Vim Script"),
        (".env", None),
        (".gitignore", None),
        ("LICENSE", None),
    ],
)
def test_a_known_name_has_a_language_and_no_extension(name, language):
    assert languages.of_path(name) == ("", language)


@pytest.mark.parametrize(
    ("name", "extension"),
    [("go.mod", "mod"), ("Gemfile.lock", "lock"), ("build.xml", "xml"), ("Cargo.toml", "toml")],
)
def test_a_name_that_only_resembles_a_known_one_has_an_extension(name, extension):
    assert languages.of_path(name) == (extension, None)


@pytest.mark.parametrize(
    ("name", "extension", "language"),
    [
        ("src/App.TSX", "tsx", "TypeScript"),
        ("MAIN.PY", "py", "Python"),
        ("A.Cpp", "cpp", "C++"),
        ("model.R", "r", "R"),
        ("types.d.ts", "ts", "TypeScript"),
        ("page.blade.php", "php", "Blade"),
        ("page.html.erb", "erb", "HTML+ERB"),
        ("list.cmake.in", "in", "CMake"),
        ("a.test.js", "js", "JavaScript"),
        ("Makefile.py", "py", "Python"),
    ],
)
def test_case_is_not_looked_at_and_two_suffixes_may_say_more_than_one(name, extension, language):
    assert languages.of_path(name) == (extension, language)


def test_what_the_table_of_former_versions_knew_is_known():
    former = {
        "Python": "py pyi",
        "Jupyter Notebook": "ipynb",
        "JavaScript": "js mjs cjs jsx",
        "TypeScript": "ts mts cts tsx",
        "C": "c h",
        "C++": "cc cpp cxx hpp hh",
        "Kotlin": "kt kts",
        "Elixir": "ex exs",
        "Shell": "sh bash zsh",
        "HTML": "html htm",
        "GraphQL": "graphql gql",
        "Vue": "vue",
        "Svelte": "svelte",
        "Astro": "astro",
        "Go": "go",
        "Rust": "rs",
        "Java": "java",
        "Scala": "scala",
        "Groovy": "groovy",
        "C#": "cs",
        "F#": "fs",
        "Swift": "swift",
        "Objective-C": "m",
        "Objective-C++": "mm",
        "Ruby": "rb",
        "PHP": "php",
        "Perl": "pl",
        "Lua": "lua",
        "R": "r",
        "Julia": "jl",
        "Dart": "dart",
        "Erlang": "erl",
        "Haskell": "hs",
        "OCaml": "ml",
        "Clojure": "clj",
        "Elm": "elm",
        "Zig": "zig",
        "Nim": "nim",
        "Solidity": "sol",
        "PowerShell": "ps1",
        "SQL": "sql",
        "CSS": "css",
        "SCSS": "scss",
        "Sass": "sass",
        "Less": "less",
        "HCL": "hcl tf tfvars",
        "Nix": "nix",
        "MDX": "mdx",
        "TeX": "tex",
        "CMake": "cmake",
        "Makefile": "mk",
        # GitHub's spelling.
        "fish": "fish",
        "Batchfile": "bat",
        "Visual Basic .NET": "vb",
        "HTML+ERB": "erb",
        "Protocol Buffer": "proto",
    }
    for language, extensions in former.items():
        for extension in extensions.split():
            assert languages.of_path(f"x.{extension}") == (extension, language)


@pytest.mark.parametrize(
    "extensions",
    ["json jsonc jsonl yaml yml toml xml ini cfg gradle", "md rst txt csv svg lock png"],
)
def test_data_and_prose_are_no_programming_language(extensions):
    for extension in extensions.split():
        assert languages.of_path(f"x.{extension}") == (extension, None)


@pytest.mark.parametrize("extension", ["cls", "inc", "mod", "l", "q", "1"])
def test_an_extension_of_several_languages_none_of_which_prevails_says_nothing(extension):
    assert languages.of_path(f"x.{extension}") == (extension, None)


def test_every_language_that_we_choose_is_one_of_the_data_set():
    by_extension, by_name = languages._data()
    rules = file_languages.languages()
    assert {one.lower() for one in rules.files.values()} <= by_name.keys()
    assert {one.lower() for one in rules.extensions.values()} <= by_name.keys()
    assert set(by_name.values()) >= rules.counted
    # A choice where there is none to make is one too many.
    assert rules.extensions.keys() <= by_extension.keys()


@pytest.mark.parametrize(
    ("given", "language"),
    [
        ("typescript", "TypeScript"),
        ("LESS", "Less"),
        ("Python", "Python"),
        ("Markdown", None),
        ("JSON", None),
        ("Git", None),
        ("words of another kind", None),
        ("", None),
        (None, None),
    ],
)
def test_a_name_that_an_agent_gives_is_spelled_as_github_does(given, language):
    assert languages.named(given) == language


@given(st.text(alphabet="aR.\\/ \0é" + "ts", max_size=60))
def test_any_path_has_an_extension_that_can_be_stored(path):
    extension, _ = languages.of_path(path)
    assert extension == extension.lower()
    assert len(extension) <= 16


def test_the_data_is_read_when_a_language_is_first_asked_for_and_its_package_is_not_run():
    program = (
        "import sys; from stationmaster.agents import languages as l;"
        "assert l._data.cache_info().currsize == 0; l.of_path('a.py'); l.of_path('b.py');"
        "assert l._data.cache_info().misses == 1; assert 'computer_languages' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
