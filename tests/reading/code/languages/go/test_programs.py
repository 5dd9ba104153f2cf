"""What programs of Go take, store and do: each proven by what the file imports."""

from __future__ import annotations

import pytest

from stationmaster.reading.code import model
from stationmaster.reading.code.model import Entry, Option, Setting
from stationmaster.reading.code.stored import Column
from tests.reading.code.reading import facts_of


def test_flags_of_one_variable_are_one_option() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "flag"
        func main() {
            flag.BoolVar(&all, "a", false, "Take all")
            flag.BoolVar(&all, "all", false, "Take all")
            name := flag.String("name", "x", "Its name")
            config.String("none", "", "")
        }
    """,
    )
    assert facts.commands[0].words == ()
    assert facts.commands[0].options == (
        Option(("-a", "-all"), 5, "Take all", "false"),
        Option(("-name",), 7, "Its name", "x"),
    )
    assert facts.entries == (Entry("main", "main", 4, "main"),)


def test_commands_of_cobra_are_put_below_each_other() -> None:
    facts = facts_of(
        "Go",
        """
        package cmd
        import "github.com/spf13/cobra"
        var rootCmd = &cobra.Command{Use: "shop", Short: "Sells."}
        var userCmd = &cobra.Command{Use: "user"}
        var addCmd = &cobra.Command{Use: "add NAME", Short: "Adds.", RunE: runAdd}
        func newServe() *cobra.Command { return &cobra.Command{Use: "serve"} }
        func init() {
            rootCmd.AddCommand(userCmd, newServe())
            userCmd.AddCommand(addCmd, other.NewList())
            addCmd.Flags().StringVarP(&group, "group", "g", "all", "The group")
        }
    """,
    )
    made = {each.words: each for each in facts.commands}
    assert set(made) == {(), ("user",), ("user", "add"), ("serve",)}
    assert made["user", "add"].options == (Option(("-g", "--group"), 11, "The group", "all"),)
    assert (made["user", "add"].handler, made["user", "add"].help) == ("runAdd", "Adds.")
    assert made[("user",)].children == ("other.NewList",)
    assert made[("serve",)].holder == "newServe"


def test_a_variable_at_top_level_is_the_command_that_a_function_makes_for_it() -> None:
    facts = facts_of(
        "Go",
        """
        package cmd
        import "github.com/spf13/cobra"
        var rootCmd = NewRootCommand()
        func NewRootCommand() *cobra.Command { return &cobra.Command{Use: "shop"} }
        func init() {
            flags.Register(rootCmd)
            rootCmd.Flags().String("till", "1", "The till")
            rootCmd.AddCommand(userCmd)
        }
    """,
    )
    [command] = facts.commands
    assert (command.holder, command.parts) == ("NewRootCommand", ("flags.Register",))
    assert (command.options[0].names, command.children) == (("--till",), ("userCmd",))


def test_a_set_that_reads_all_arguments_is_of_the_program_and_its_flags_may_be_keys() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import ("os"; "time"; "github.com/spf13/pflag"; "github.com/spf13/viper")
        func main() {
            fs := pflag.NewFlagSet("shop", pflag.ContinueOnError)
            fs.IntP("port", "p", 9898, "where it listens")
            fs.Duration("wait", 2*time.Minute, "how long it waits")
            fs.StringSlice("peer", []string{"a", "b"}, "others. Repeatable.")
            other := pflag.NewFlagSet("other", pflag.ContinueOnError)
            other.String("no", "", "of a command")
            other.Parse(os.Args[2:])
            fs.Parse(os.Args[1:])
            viper.BindPFlags(fs)
            viper.BindPFlag("http.port", fs.Lookup("port"))
            viper.SetDefault("wait", "1m")
        }
        """,
    )
    [command] = [it for it in facts.commands if not (it.words or it.is_part)]
    assert [(it.names, it.default, it.help, it.is_many) for it in command.options] == [
        (("-p", "--port"), "9898", "where it listens", False),
        (("--wait",), "2m", "how long it waits", False),
        (("--peer",), "a,b", "others. Repeatable.", True),
    ]
    keys = {(it.name, it.default, it.doc) for it in facts.settings if it.doc}
    assert keys == {
        ("port", "9898", "where it listens"), ("wait", None, "how long it waits"),
        ("peer", "a,b", "others. Repeatable."), ("http.port", "9898", "where it listens"),
    }  # fmt: skip


def test_the_help_of_a_command_of_cobra_is_its_long_text_with_examples() -> None:
    facts = facts_of(
        "Go",
        """
        package cmd
        import "github.com/spf13/cobra"
        var sellCmd = &cobra.Command{
            Use: "sell", Short: "Sells", Long: `Sells it
        for money.`, Example: "  shop sell cart\\n",
        }
        func init() {
            sellCmd.PersistentFlags().String("at", "", "The place.")
        }
    """,
    )
    (sell,) = (each for each in facts.commands if each.words == ("sell",))
    assert sell.help.startswith("Sells\n\nSells it\n")
    assert sell.help.endswith("for money.\n\nExamples:\n  shop sell cart")
    assert sell.options == (Option(("--at",), 9, "The place.", for_all=True),)


def test_commands_of_urfave_hold_their_flags_and_what_those_read() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "github.com/urfave/cli/v3"
        var flags = []cli.Flag{&cli.StringFlag{
            Name: "level", Sources: cli.EnvVars("SHOP_LEVEL"), Value: "info", Usage: "How loud"}}
        func main() {
            app := &cli.Command{Name: "shop", Flags: flags, Commands: []*cli.Command{
                {Name: "user", Commands: []*cli.Command{
                    {Name: "ls", Action: list, Flags: []cli.Flag{
                        &cli.BoolFlag{Name: "all", Aliases: []string{"a"}}}}}},
                other.Command,
            }}
        }
    """,
    )
    made = {each.words: each for each in facts.commands}
    assert set(made) == {(), ("user",), ("user", "ls")}
    assert made[()].options == (Option(("--level",), 4, "How loud", "info"),)
    assert made[()].children == ("other.Command",)
    assert made["user", "ls"].options[0].names == ("--all", "-a")
    assert facts.settings == (Setting("SHOP_LEVEL", "env", 4, "info", False, "How loud"),)


def test_what_runs_the_words_of_the_command_line_is_the_program_and_no_command_of_its() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import ("os"; "github.com/urfave/cli/v3")
        func main() {
            cmd := &cli.Command{Name: "Shop", Commands: []*cli.Command{{Name: "web"}}}
            if err := cmd.Run(context.Background(), os.Args); err != nil { os.Exit(1) }
        }
        """,
    )
    assert [it.words for it in facts.commands] == [(), ("web",)]


def test_one_flag_of_urfave_may_name_several_variables() -> None:
    facts = facts_of(
        "Go",
        'package main\nimport "github.com/urfave/cli"\n'
        'var flag = cli.StringFlag{Name: "addr", EnvVar: "SHOP_ADDR,PORT"}\n'
        "func main() { (&cli.App{Flags: []cli.Flag{flag}}).Run(os.Args) }\n",
    )
    assert {each.name for each in facts.settings} == {"SHOP_ADDR", "PORT"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import "os"\nvar a = os.Getenv("A_KEY")', [("A_KEY", "env", None)]),
        (
            'import "a.com/envknob/v2"\nvar a = envknob.Bool("A_KEY")\n'
            'var b = envknob.Int("A_SIZE", 5)\nvar c = envknob.Of("name")\n'
            'func f() { envknob.Setenv("A_SET", "1") }',
            [("A_KEY", "env", None), ("A_SIZE", "env", "5")],
        ),
        ('import "os"\nfunc f() { v, ok := os.LookupEnv("B") }', [("B", "env", None)]),
        ('import "github.com/caarlos0/env/v11"\n'
         'type C struct { P int `env:"PORT" envDefault:"1"` }', [("PORT", "env", "1")]),
        ('type C struct { P int `env:"PORT"` }', []),
        ('import "github.com/spf13/viper"\nfunc f() { viper.SetDefault("a.b", "x") }',
         [("a.b", "key", "x")]),
        ('import v "github.com/spf13/viper"\nconst key = "k"\nfunc f() { v.SetDefault(key, 5) }',
         [("k", "key", "5")]),
        ('import "github.com/spf13/viper"\nfunc f() { viper.BindEnv("a", "A_ONE", "A_TWO") }',
         [("a", "key", None), ("A_ONE", "env", None), ("A_TWO", "env", None)]),
        ('import "github.com/spf13/viper"\nfunc f() { c := viper.New(); c.GetBool("x.y") }\n'
         'func g(w *viper.Viper) { w.GetInt("z"); other.GetInt("no") }',
         [("x.y", "key", None), ("z", "key", None)]),
        ('import "github.com/sethvargo/go-envconfig"\n'
         'type C struct { P int `env:"PORT,required,default=80, 81"` }',
         [("PORT", "env", "80, 81")]),
        ('func f() { os.Getenv("A"); cache.Getenv("B") }', []),
    ],
)  # fmt: skip
def test_settings_are_what_is_read_from_outside(
    text: str, found: list[tuple[str, str, str | None]]
) -> None:
    facts = facts_of("Go", f"package p\n{text}")
    assert [(each.name, each.kind, each.default) for each in facts.settings] == found


@pytest.mark.parametrize(
    ("before", "written", "names"),
    [
        ('const name = "shop"', "name", ["SHOP_PORT"]),
        ('var (\n\tname = "shop"\n\tother = 1\n)', "name", ["SHOP_PORT"]),
        ("", '""', ["PORT"]),
        ("", "other.Name", []),
        ("", "name()", []),
    ],
)
def test_a_variable_of_a_struct_is_told_where_its_prefix_is_known(
    before: str, written: str, names: list[str]
) -> None:
    facts = facts_of(
        "Go",
        'package p\nimport ("github.com/kelseyhightower/envconfig"; "shop/other")\n'
        f'{before}\ntype C struct {{ Port int `default:"1"` }}\n'
        f"func load() {{ c := C{{}}; envconfig.Process({written}, &c) }}\n",
    )
    assert [each.name for each in facts.settings] == names


@pytest.mark.parametrize(
    ("written", "default"),
    [
        ("5", "5"), ("-1", "-1"), ("0.5", "0.5"), ("true", "true"), ('""', ""),
        ("5*time.Second", "5s"), ("time.Hour", "1h"),
        ("time.Second * 30", "30s"), ("other.Level", "{$other.Level}"),
        ("string(Level)", "{$Level}"), ("Level", "{$Level}"),
        ("level", "info"), ('filepath.Join(".", "x")', None), ("local.Level", None),
        ("[]string{}", None), ('[]string{"a", "b"}', "a,b"),
    ],
)  # fmt: skip
def test_a_default_of_viper_is_a_value_that_the_code_names(
    written: str, default: str | None
) -> None:
    facts = facts_of(
        "Go",
        'package p\nimport ("time"; "shop/other"; "github.com/spf13/viper")\n'
        f'const level = "info"\nfunc f(local T) {{ viper.SetDefault("x", {written}) }}\n',
    )
    assert [each.default for each in facts.settings] == [default]


def test_entities_are_what_tags_of_an_orm_describe() -> None:
    facts = facts_of(
        "Go",
        """
        package store
        import ("gorm.io/gorm"; "entgo.io/ent")
        type User struct {
            gorm.Model
            Email string `gorm:"unique;column:mail"`
        }
        func (User) TableName() string { return "people" }
        type Key struct { ID int64 `xorm:"pk autoincr 'id'"` }
        type Pet struct { ent.Schema }
        func (Pet) Fields() []ent.Field { return []ent.Field{field.String("name").Unique()} }
        type Plain struct { ID int `json:"id"` }
    """,
    )
    assert [(each.name, each.symbol, each.framework) for each in facts.entities] == [
        ("people", "User", "gorm"), ("Key", "Key", "xorm"), ("Pet", "Pet", "ent"),
    ]  # fmt: skip
    assert [(it.name, it.is_key) for it in facts.entities[0].columns] == [
        ("id", True), ("created_at", False), ("updated_at", False), ("deleted_at", False),
        ("mail", False),
    ]  # fmt: skip
    assert facts.entities[0].columns[-1] == Column("mail", "string", False, True, "", 6)
    assert facts.entities[1].columns[0].is_key
    assert facts.entities[2].columns == (Column("name", "String", False, True, "", 11),)


def test_columns_that_are_unique_together_are_not_unique_alone() -> None:
    facts = facts_of(
        "Go",
        """
        package store
        type Access struct {
            ID     int64
            UserID int64  `xorm:"UNIQUE(s)"`
            RepoID int64  `xorm:"UNIQUE(s)"`
            Token  string `xorm:"UNIQUE"`
        }
        type Vote struct {
            User int    `gorm:"uniqueIndex:once"`
            Poll int    `gorm:"index:once,unique"`
            Code string `gorm:"uniqueIndex:by_code"`
        }
    """,
    )
    access, vote = facts.entities
    assert [(it.name, it.is_key, it.is_unique) for it in access.columns] == [
        ("id", True, False), ("user_id", False, False), ("repo_id", False, False),
        ("token", False, True),
    ]  # fmt: skip
    assert [it.name for it in vote.columns if it.is_unique] == ["code"]


def test_jobs_are_tickers_and_schedules() -> None:
    facts = facts_of(
        "Go",
        """
        package jobs
        import ("time"; "github.com/robfig/cron/v3")
        func watch() { for range time.NewTicker(time.Minute).C { clean() } }
        func plan() { c := cron.New(); c.AddFunc("@hourly", clean) }
    """,
    )
    assert [(each.name, each.trigger, each.handler) for each in facts.jobs] == [
        ("clean", "every time.Minute", "watch"), ("clean", "@hourly", "clean"),
    ]  # fmt: skip


def test_what_a_cron_of_any_package_is_given_is_a_job_with_the_setting_of_its_schedule() -> None:
    facts = facts_of(
        "Go",
        """
        package jobs
        import "example.org/any/cron/v2"
        func plan(set Set) {
            c := cron.New()
            every := settings.String("till.clean_every")
            c.Add(every, func() {
                log.Println("cleans")
                cleanTills(set)
            })
            c.AddFunc("@daily", report)
            c.AddFunc("Count all tills", conf.Cron.Count, tills.Count)
            set.Add(every, func() { never() })
        }
    """,
    )
    assert [(each.name, each.trigger, each.handler) for each in facts.jobs] == [
        ("cleanTills", "the value of till.clean_every", "plan"), ("report", "@daily", "report"),
        ("tills.Count", "the value of conf.Cron.Count", "tills.Count"),
    ]  # fmt: skip


def test_tests_take_what_the_library_gives_them() -> None:
    facts = facts_of(
        "Go",
        """
        package store
        import "testing"
        func TestGet(t *testing.T) {}
        func BenchmarkGet(b *testing.B) {}
        func FuzzGet(f *testing.F) {}
        func Testify(t *testing.T) {}
        func TestHelper(x int) {}
    """,
    )
    assert facts.tests == (model.Test("TestGet", 4), model.Test("FuzzGet", 6))
