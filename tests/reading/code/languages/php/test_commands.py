"""Commands of PHP."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_parameters_that_are_marked_are_options_and_arguments_of_a_command() -> None:
    (command,) = facts_of(
        "PHP",
        """<?php
        use Symfony\\Component\\Console\\Attribute\\AsCommand;
        #[AsCommand('tag:visits', 'Lists visits')]
        class Visits extends Command {
            public function __invoke(
                SymfonyStyle $io,
                #[Argument('The tag'), Ask('Which?')] string $tag,
                #[Option('Most of ' . self::MOST, shortcut: 'm')] string|null $mostVisits = null,
                #[Option('Their order', name: 'by')] string $order = 'date',
            ): int { return 0; }
        }
    """,
    ).commands
    assert [(o.names, o.help, o.default) for o in command.options] == [
        (("tag",), "The tag", None), (("-m", "--most-visits"), "", None),
        (("--by",), "Their order", "date"),
    ]  # fmt: skip
