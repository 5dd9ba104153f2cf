"""Commands of cobra that functions of the project put below others."""

from tests.reading.code.reading import facts_of


def test_a_function_of_the_project_may_put_commands_below_the_one_that_it_is_given() -> None:
    facts = facts_of(
        "Go",
        """
        package pr
        import "github.com/spf13/cobra"
        func NewCmdPR(f *Factory) *cobra.Command {
            cmd := &cobra.Command{Use: "pr <command>"}
            AddSelector(cmd, f.client)
            cmd.AddCommand(list.NewCmdList(f), view.NewCmdView(f, nil))
            return cmd
        }
        """,
    )
    [command] = [it for it in facts.commands if not it.is_part]
    assert command.children == ("list.NewCmdList", "view.NewCmdView")
    assert command.parts == ("AddSelector",)
