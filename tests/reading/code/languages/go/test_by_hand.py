"""Commands that programs of Go tell apart themselves, with their sets of flags."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_words_that_a_program_tells_apart_are_commands_with_the_sets_of_flags_of_functions() -> (
    None
):
    facts = facts_of(
        "Go",
        """
        package main
        import ("flag"; "os")
        const Help = "help"
        func (m *Main) Run(args []string) error {
            var cmd string
            if len(args) > 0 {
                cmd, args = args[0], args[1:]
            }
            switch cmd {
            case "add", "a":
                return (&AddCommand{}).Run(args)
            case "serve":
                c := NewServeCommand()
                c.ParseFlags(args)
                return c.Run()
            case "old":
                // Deprecated: use add
                return (&AddCommand{}).Run(args)
            case Help, "-h":
                usage()
            }
            switch m.kind { case "none": stop() }
            return nil
        }
        func (c *AddCommand) Run(args []string) error {
            fs := flag.NewFlagSet("till-add", flag.ContinueOnError)
            n := fs.Int("n", 2, "how many")
            fs.Func("to", "where to", parse)
            return fs.Parse(args)
        }
        """,
    )
    made = [it for it in facts.commands if not it.is_part and it.holder != "@set"]
    assert [(it.words, it.help, it.handler, it.parts) for it in made] == [
        (("add",), "Also: a.", "AddCommand.Run", ("AddCommand.Run",)),
        (("serve",), "", "ServeCommand.Run", ("ServeCommand.ParseFlags", "ServeCommand.Run")),
        (("old",), "Deprecated: use add", "AddCommand.Run", ("AddCommand.Run",)),
        (("help",), "", "usage", ("usage",)),
    ]
    [part] = [it for it in facts.commands if it.is_part]
    assert (part.holder, [(it.names, it.help, it.default) for it in part.options]) == (
        "AddCommand.Run",
        [(("-n",), "how many", "2"), (("-to",), "where to", None)],
    )
