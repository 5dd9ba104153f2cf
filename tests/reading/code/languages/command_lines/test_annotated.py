"""Command lines of libraries that are only rows of the catalogue."""

from __future__ import annotations

import pytest

from tests.reading.code.reading import facts_of

ARGS4J = """
import org.kohsuke.args4j.*;
class Till {
    @Option(name = "-o", aliases = {"--out"}, usage = "Where it is written") File out;
    @Argument(metaVar = "FILE", usage = "What is read") File file;
}
"""
AESH = """
import org.aesh.command.*;
@CommandDefinition(name = "add", description = "Adds a coin")
class Add {
    @Option(shortName = 'k', description = "Of what " +
        "kind " + "it is", defaultValue = "all") String coinKind;
    @Argument(description = "Where it is") String place;
}
"""
AIRLINE = """
import com.github.rvesse.airline.annotations.*;
@Command(name = "count", description = "Counts")
class Count { @Option(name = {"-a", "--all"}, description = "All of them") boolean all; }
"""
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
        ("Java", ARGS4J, [("", "", ["--out -o: Where it is written", "FILE: What is read"])]),
        ("Java", AESH, [
            ("add", "Adds a coin",
             ["-k --coin-kind: Of what kind it is", "PLACE: Where it is"]),
        ]),
        ("Java", AIRLINE, [("count", "Counts", ["-a --all: All of them"])]),
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
