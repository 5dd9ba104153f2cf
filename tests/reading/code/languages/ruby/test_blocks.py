"""Commands that blocks make."""

from __future__ import annotations

from stationmaster.reading.code import reading
from stationmaster.wiki.facts.code import work
from tests.wiki.commits import facts_of

_COUNT = (
    "module Till\n  class Count < Command\n    def self.init(prog)\n"
    "      prog.command(:count) do |c|\n        c.description 'Counts coins'\n"
    "        c.option 'all', '-a', '--all NAME', String, 'Also notes'\n"
    "        add_shared(c)\n      end\n      other.command(:none) { |c| c.size }\n"
    "    end\n  end\nend\n"
)
_SHARED = (
    "module Till\n  class Command\n    def add_shared(cmd)\n"
    "      cmd.option 'quiet', '-q', 'Says less'\n    end\n  end\nend\n"
)


def test_a_block_that_says_what_a_command_is_for_makes_one() -> None:
    (command,) = reading.read("Ruby", _COUNT.encode()).commands
    assert (command.words, command.help, command.parts) == (
        ("count",), "Counts coins", ("add_shared",),
    )  # fmt: skip
    assert [(it.names, it.help) for it in command.options] == [(("-a", "--all"), "Also notes")]


def test_options_of_a_method_that_a_block_is_given_are_cited_where_they_are_declared() -> None:
    facts = facts_of({"lib/count.rb": _COUNT, "lib/command.rb": _SHARED})
    (command,) = work.commands(facts)
    assert [(it.names, it.path, it.line) for it in command.options] == [
        (("-a", "--all"), "", 6), (("-q",), "lib/command.rb", 4),
    ]  # fmt: skip


def test_the_block_of_a_program_tells_its_name() -> None:
    text = "Mercenary.program(:till) do |p|\n  p.description 'A till'\nend\n"
    (program,) = reading.read("Ruby", text.encode()).commands
    assert (program.words, program.program, program.help) == ((), "till", "A till")
