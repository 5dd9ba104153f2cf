"""What programs of Go serve, take, store and do: each proven by what the file imports."""

from __future__ import annotations

import pytest

from stationmaster.reading.code import model
from stationmaster.reading.code.model import Entry, Mount, Option, Setting
from stationmaster.reading.code.stored import Column
from tests.reading.code.reading import facts_of


def routes(text: str) -> list[tuple[str, str, str, str, str]]:
    return [
        (each.method, each.path, each.owner, each.handler, each.guard)
        for each in facts_of("Go", text).routes
    ]


def test_patterns_of_the_library_may_hold_the_method() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import "net/http"
        const base = "/v1"
        func NewHandler() http.Handler {
            mux := http.NewServeMux()
            mux.HandleFunc("GET /users/{id}", h.user)
            mux.Handle(base + "/any", wrap(h.any))
            http.HandleFunc("/plain", plain)
            other.HandleFunc("/no", plain)
            mux.Handle("/admin/", http.StripPrefix("/admin", adminMux()))
            http.ListenAndServe(":1", mux)
            return guarded(mux)
        }
    """,
    )
    assert [(r.method, r.path, r.owner, r.handler, r.framework) for r in facts.routes] == [
        ("GET", "/users/{id}", "NewHandler", "h.user", "net/http"),
        ("ANY", "/v1/any", "NewHandler", "wrap(h.any)", "net/http"),
        ("ANY", "/plain", "", "plain", "net/http"),
        ("ANY", "/admin/", "NewHandler", 'http.StripPrefix("/admin", adminMux())', "net/http"),
    ]
    assert facts.entries == (Entry("http.ListenAndServe", "server", 12, "NewHandler"),)


def test_a_handler_is_what_adapters_and_guards_are_put_around() -> None:
    assert routes("""
        package api
        import "github.com/gorilla/mux"
        func Load() {
            r := mux.NewRouter()
            r.Handle("/me", HandlerFunc(api.Me)).Methods("GET")
            r.Handle("/sites", api.Authorize(HandlerFunc(api.Sites)))
            r.Handle("/made", newHandler(db))
            r.Path("/app.js").Handler(script(box))
        }
    """) == [
        ("GET", "/me", "r", "api.Me", ""),
        ("ANY", "/sites", "r", "api.Sites", "api.Authorize"),
        ("ANY", "/made", "r", "newHandler(db)", ""),
        ("ANY", "/app.js", "r", "script(box)", ""),
    ]


def test_groups_have_prefixes_and_guards() -> None:
    assert routes("""
        package web
        import "github.com/gin-gonic/gin"
        func Load(e *gin.Engine) {
            api := e.Group("/api")
            {
                users := api.Group("/users", auth.RequireUser())
                users.GET("", list)
                users.Match([]string{"GET", "HEAD"}, "/:id", show)
                { inner := users.Group("/inner"); inner.Any("/x", func(c *gin.Context) {}) }
            }
            api.Use(MustAdmin)
            api.POST("/admin", h.Create)
            e.Group("/late").Use(x).DELETE("/y", mw.MustOwn, h.Remove)
        }
    """) == [
        ("GET", "/api/users", "Load", "list", "auth.RequireUser"),
        ("GET", "/api/users/:id", "Load", "show", "auth.RequireUser"),
        ("HEAD", "/api/users/:id", "Load", "show", "auth.RequireUser"),
        ("ANY", "/api/users/inner/x", "Load", "", "auth.RequireUser"),
        ("POST", "/api/admin", "Load", "h.Create", "MustAdmin"),
        ("DELETE", "/late/y", "Load", "h.Remove", "mw.MustOwn"),
    ]  # fmt: skip


def test_routers_inside_routers_are_followed_and_told_as_mounts() -> None:
    facts = facts_of(
        "Go",
        """
        package web
        import "github.com/go-chi/chi/v5"
        type Server struct { router chi.Router }
        func (s *Server) routes() {
            s.router.Get("/a", s.a)
            s.router.Route("/b", func(r chi.Router) {
                r.With(jwtAuth).Post("/c", s.c)
                r.Group(func(r chi.Router) { r.Method("PUT", "/d", s.d) })
                s.more(r)
            })
            s.router.Mount("/e", users.Routes())
        }
        func (s *Server) more(r chi.Router) { r.Delete("/f", s.f) }
        func Routes() chi.Router { r := chi.NewRouter(); r.Get("/g", g); return r }
    """,
    )
    assert [(r.method, r.path, r.owner, r.guard) for r in facts.routes] == [
        ("GET", "/a", "s.router", ""),
        ("POST", "/b/c", "s.router", "jwtAuth"),
        ("PUT", "/b/d", "s.router", ""),
        ("DELETE", "/f", "Server.more", ""),
        ("GET", "/g", "Routes", ""),
    ]
    assert facts.mounts == (
        Mount("s.router", "Server.more", "/b", 10),
        Mount("s.router", "users.Routes", "/e", 12),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import "github.com/gorilla/mux"\nfunc f() { r := mux.NewRouter(); '
         's := r.PathPrefix("/v1").Subrouter(); s.HandleFunc("/x", h).Methods("GET", "PUT") }',
         [("GET", "/v1/x"), ("PUT", "/v1/x")]),
        ('import "github.com/labstack/echo/v4"\nfunc f(g *echo.Group) { g.PATCH("/x", h, mw) }',
         [("PATCH", "/x")]),
        ('import "github.com/gofiber/fiber/v2"\nvar app = fiber.New()\n'
         'func f() { app.Get("/x", h) }', [("GET", "/x")]),
        ('import "example.org/gin"\nfunc f(e *gin.Engine) { e.Get("/x", h) }', []),
        ('import "net/http"\nfunc f() { http.Get("/x"); client.Get("/x", h) }', []),
    ],
)  # fmt: skip
def test_a_router_is_one_of_a_framework_that_is_imported(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [each[:2] for each in routes(f"package p\n{text}")] == found


def test_methods_called_as_those_of_http_make_routes_on_any_router() -> None:
    assert routes("""
        package keys
        import "example.org/x/routerx"
        const Path = "/keys"
        func (h *Handler) Routes(r *routerx.Public, cors func(http.Handler) http.Handler) {
            r.GET(Path+"/{set}", h.show)
            r.OPTIONS(Path, cors(http.HandlerFunc(h.options)).ServeHTTP)
            inner := h.server.Group("/inner")
            inner.POST("/x", auth.RequireUser(h.make))
            r.GET("/lonely")
            r.GET("keys", h.show)
            r.GET("/text", "text")
            r.Get("/lower", h.show)
        }
        func ask(c *client.Client) {
            got, err := c.POST("/keys", body)
            c.GET("/keys", id).Expect(200)
        }
    """) == [
        ("GET", "/keys/{set}", "Handler.Routes", "h.show", ""),
        ("OPTIONS", "/keys", "Handler.Routes", "h.options", ""),
        ("POST", "/inner/x", "Handler.Routes", "h.make", "auth.RequireUser"),
    ]


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


def test_one_flag_of_urfave_may_name_several_variables() -> None:
    facts = facts_of(
        "Go",
        'package main\nimport "github.com/urfave/cli"\n'
        'var flag = cli.StringFlag{Name: "addr", EnvVar: "SHOP_ADDR,PORT"}\n'
        "func main() { (&cli.App{Flags: []cli.Flag{flag}}).Run(os.Args) }\n",
    )
    assert {each.name for each in facts.settings} == {"SHOP_ADDR", "PORT"}


def test_kong_reads_the_tags_of_fields() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "github.com/alecthomas/kong"
        var cli struct {
            Debug bool `help:"Say more." short:"d" env:"SHOP_DEBUG"`
            AddUser addCmd `cmd:"" help:"Adds."`
        }
    """,
    )
    assert {each.words for each in facts.commands} == {(), ("add-user",)}
    assert facts.commands[-1].options == (Option(("-d", "--debug"), 5, "Say more."),)
    assert facts.settings[0].name == "SHOP_DEBUG"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import "os"\nvar a = os.Getenv("A_KEY")', [("A_KEY", "env", None)]),
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
        ("5*time.Second", "5*time.Second"), ("time.Hour", "time.Hour"),
        ("time.Second * 30", "time.Second * 30"), ("other.Level", "other.Level"),
        ("level", "info"), ('filepath.Join(".", "x")', None), ("local.Level", None),
        ("[]string{}", None),
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
        ("watch", "every time.Minute", "watch"), ("clean", "@hourly", "clean"),
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
    assert facts.tests == (
        model.Test("TestGet", 4),
        model.Test("BenchmarkGet", 5, "benchmark"),
        model.Test("FuzzGet", 6, "fuzz"),
    )
