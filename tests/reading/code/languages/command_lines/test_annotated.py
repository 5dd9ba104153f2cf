"""Command lines of libraries that are only rows of the catalogue."""

from __future__ import annotations

import pytest

from tests.reading.code.reading import facts_of

MC_MASTER = """
using McMaster.Extensions.CommandLineUtils;
[Command("count", Description = "Counts")]
class Count {
    [Option("-a|--all", "All of them", CommandOptionType.NoValue)] public bool All { get; }
    [Option(Description = "Which")] public string CoinKind { get; }
    [Argument(0, Name = "file", Description = "What is read")] public string File { get; }
}
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("C#", MC_MASTER, [
            ("count", "Counts", ["-a --all: All of them", "--coin-kind: Which",
                                 "FILE: What is read"]),
        ]),
    ],
)  # fmt: skip
def test_a_library_of_annotations_is_a_row(
    language: str, text: str, expected: list[tuple[str, str, list[str]]]
) -> None:
    assert [
        (" ".join(it.words), it.help, [f"{' '.join(o.names)}: {o.help}" for o in it.options])
        for it in facts_of(language, text).commands
    ] == expected
