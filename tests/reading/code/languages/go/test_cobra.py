"""Commands of cobra that functions of the project put below others."""

from tests.reading.code.reading import facts_of


def test_what_is_said_of_a_flag_is_told_with_it_and_makes_it_no_other_spelling() -> None:
    facts = facts_of(
        "Go",
        """
        package cmd
        import "github.com/spf13/cobra"
        var rootCmd = &cobra.Command{Use: "till", Short: "Sells."}
        var oldCmd = &cobra.Command{Use: "old", Short: "Sold.", Hidden: true}
        func init() {
            var ignored string
            flags := rootCmd.Flags()
            flags.StringVarP(&shop.At, "at", "a", "", "Where")
            flags.StringVar(&shop.At, "place", "", "Where")
            flags.StringVar(&shop.At, "where", "", "Where it is")
            rootCmd.Flags().Lookup("where").Hidden = true
            rootCmd.Flags().Lookup("where").Deprecated = "use --at"
            flags.Int("port", 1, "Port")
            flags.MarkDeprecated("port", "it is always 80.")
            flags.MarkHidden("port")
            rootCmd.Flags().StringVarP(&ignored, "ignored-bits", "B", "", "Ignored")
            rootCmd.Flags().StringVarP(&ignored, "ignored-name", "F", "", "Ignored")
            oldCmd.Flags().Int("port", 1, "Port")
            rootCmd.AddCommand(oldCmd)
        }
        """,
    )
    told = {it.words: it.help for it in facts.commands}
    assert told == {(): "Sells.", ("old",): "Not shown in the help. Sold."}
    assert {
        it.words: [(option.names, option.help) for option in it.options] for it in facts.commands
    } == {
        (): [
            (("-a", "--at", "--place"), "Where"),
            (("--where",), "Deprecated: use --at. Not shown in the help. Where it is"),
            (("--port",), "Deprecated: it is always 80. Not shown in the help. Port"),
            (("-B", "--ignored-bits"), "Ignored"),
            (("-F", "--ignored-name"), "Ignored"),
        ],
        ("old",): [(("--port",), "Port")],
    }


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
