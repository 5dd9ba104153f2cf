"""The text of a constant stands for its name, in every language."""

from __future__ import annotations

import pytest

from tests.reading.code.reading import facts_of

READS = {
    "C#": 'class A { const string Name = "SHOP_PORT"; '
    "string P() => Environment.GetEnvironmentVariable(Name); }",
    "Java": 'class A { private static final String NAME = "SHOP_PORT"; '
    "String p() { return System.getenv(A.NAME); } }",
    "Kotlin": 'private const val NAME = "SHOP_PORT"\nfun p() = System.getenv(NAME)\n',
    "PHP": "<?php class A { const NAME = 'SHOP_PORT'; function p() { getenv(self::NAME); } }",
    "Ruby": 'NAME = "SHOP_PORT"\nport = ENV.fetch(NAME)\n',
    "Rust": 'const NAME: &str = "SHOP_PORT";\nfn p() { std::env::var(NAME); }\n',
}


@pytest.mark.parametrize("language", READS)
def test_a_constant_of_the_file_names_a_variable(language: str) -> None:
    assert [it.name for it in facts_of(language, READS[language]).settings] == ["SHOP_PORT"]


def test_a_constant_of_another_class_or_with_several_texts_names_none() -> None:
    held, reads = 'static final String NAME = "%s";', "String p() { return System.getenv(%s); }"
    others = f"class A {{ {held % 'A'} {reads % 'Other.NAME'} }}"
    several = f"class A {{ {held % 'A'} }} class B {{ {held % 'B'} {reads % 'NAME'} }}"
    for text in (others, several):
        assert not facts_of("Java", text).settings
