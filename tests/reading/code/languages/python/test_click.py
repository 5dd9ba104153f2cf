"""Options of click that stand outside of the commands that have them."""

from tests.reading.code.reading import facts_of


def test_options_of_click_that_variables_and_functions_hold_are_parts_of_commands() -> None:
    facts = facts_of(
        "Python",
        """
        import click
        from shop import options

        loud = click.option("--loud", is_flag=True, help="Says more.")

        def common(function):
            function = click.option("--till", help="The till.")(function)
            return function

        @click.command()
        @loud
        @common
        @options.version
        @click.option("--own")
        def main(): pass
        """,
    )
    [command] = [it for it in facts.commands if not it.is_part]
    assert [it.names for it in command.options] == [("--own",)]
    assert command.parts == ("loud", "common", "options.version")
    parts = {it.holder: [o.names for o in it.options] for it in facts.commands if it.is_part}
    assert parts == {"loud": [("--loud",)], "common": [("--till",)]}
