"""What programs of Rust serve, take, store and do: each proven by the crates that a file names."""

from __future__ import annotations

import pytest

from stationmaster.reading.code import model
from stationmaster.reading.code.model import Entry, Mount, Option, Setting
from stationmaster.reading.code.stored import Column
from tests.reading.code.reading import facts_of


def test_routers_of_axum_are_nested() -> None:
    facts = facts_of(
        "Rust",
        """
        use axum::{routing::{get, post}, Router};
        pub fn app() -> Router {
            let admin = Router::new().route("/keys", get(keys).delete(admin::wipe));
            Router::new()
                .route("/", get(index))
                .nest("/api", Router::new().route("/users/{id}", post(create)))
                .nest("/admin", admin)
                .nest("/shop", shop::routes())
                .merge(extra())
        }
        async fn main() { axum::serve(listener, app()).await; }
        fn other() { cache.route("/no", value); map.get("/x"); }
    """,
    )
    assert sorted((r.method, r.path, r.owner, r.handler, r.framework) for r in facts.routes) == [
        ("DELETE", "/admin/keys", "app", "admin::wipe", "axum"),
        ("GET", "/", "app", "index", "axum"),
        ("GET", "/admin/keys", "app", "keys", "axum"),
        ("POST", "/api/users/{id}", "app", "create", "axum"),
    ]
    assert set(facts.mounts) == {
        Mount("app", "shop::routes", "/shop", 5), Mount("app", "extra", "", 5),
    }  # fmt: skip
    assert facts.entries == (
        Entry("main", "main", 12, "main"), Entry("axum::serve", "server", 12, "main"),
    )  # fmt: skip


def test_scopes_and_resources_of_actix_are_put_together() -> None:
    facts = facts_of(
        "Rust",
        """
        use actix_web::{get, web, HttpServer};
        #[get("/hello/{name}")]
        async fn hello() {}
        pub fn config(cfg: &mut web::ServiceConfig) {
            cfg.service(
                web::scope("/api")
                    .service(web::scope("/site").route("", web::get().to(show)))
                    .service(web::resource("/search").route(web::post().to(find)))
                    .service(hello)
                    .configure(users::config),
            );
            cfg.service(web::scope(&conf.prefix).route("/up", web::put().to(save)));
            cfg.route(&conf.health_route, web::get().to(health));
        }
    """,
    )
    assert sorted((r.method, r.path, r.owner, r.handler) for r in facts.routes) == [
        ("GET", "/api/site", "config", "show"),
        ("GET", "/hello/{name}", "hello", "hello"),
        ("GET", "{the value of health_route}", "config", "health"),
        ("POST", "/api/search", "config", "find"),
        ("PUT", "{the value of prefix}/up", "config", "save"),
    ]
    assert {(each.owner, each.child, each.prefix) for each in facts.mounts} == {
        ("config", "hello", "/api"), ("config", "users::config", "/api"),
    }  # fmt: skip


def test_a_scope_of_actix_may_hold_hundreds_of_services() -> None:
    services = "".join(f"\n.service(a::s{at})" for at in range(150))
    text = (
        "use actix_web::web;\nfn api() -> actix_web::Scope {\n"
        f'    web::scope("/auth").service(web::scope("/v1"){services})\n}}\n'
    )
    assert {each.prefix for each in facts_of("Rust", text).mounts} == {"/auth/v1"}


def test_rocket_mounts_what_lists_name() -> None:
    facts = facts_of(
        "Rust",
        """
        use rocket::Route;
        #[post("/users/<id>", data = "<user>")]
        fn save() {}
        pub fn routes() -> Vec<Route> {
            let mut all = routes![save, keys::show];
            all.append(&mut users::routes());
            all
        }
        #[launch]
        fn start() -> _ { rocket::build().mount("/api", api::routes()) }
    """,
    )
    assert [(r.method, r.path, r.owner) for r in facts.routes] == [("POST", "/users/<id>", "save")]
    assert {(each.owner, each.child, each.prefix) for each in facts.mounts} == {
        ("routes", "save", ""), ("routes", "keys::show", ""), ("routes", "users::routes", ""),
        ("start", "api::routes", "/api"),
    }  # fmt: skip
    assert facts.entries == (Entry("start", "server", 11, "start"),)


def test_attributes_of_no_framework_make_no_route() -> None:
    assert facts_of("Rust", '#[get("/x")]\nfn f() { app.route("/y", get(z)); }').routes == ()


def test_clap_derives_commands_from_types() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Args, Parser, Subcommand};
        /// Sells things. Well.
        #[derive(Parser)]
        #[command(name = "shop", version)]
        struct Cli {
            /// Say more.
            #[arg(short, long, env = "SHOP_LOUD", default_value_t = false)]
            loud: bool,
            #[arg(long = "as", help = "Who asks")]
            as_user: Option<String>,
            path: String,
            #[arg(long, default_value_t = Size::AsHuman, env = "SHOP_SIZE")]
            size: Size,
            #[command(flatten)]
            common: Common,
            #[command(subcommand)]
            command: Option<Commands>,
        }
        #[derive(Args)]
        struct Common { #[arg(short = 'c')] config: String }
        #[derive(Subcommand)]
        enum Commands {
            /// Adds a user.
            AddUser(AddUser),
            #[command(name = "ls")]
            List { #[arg(long)] all: bool },
            Keys { #[command(subcommand)] command: Elsewhere },
        }
        #[derive(Args)]
        struct AddUser { name: String }
    """,
    )
    made = {each.words: each for each in facts.commands}
    assert set(made) == {(), ("add-user",), ("ls",), ("keys",)}
    assert made[()].help == "Sells things. Well."
    assert made[()].options == (
        Option(("-l", "--loud"), 9, "Say more.", "false"),
        Option(("--as",), 11, "Who asks"),
        Option(("PATH",), 12),
        Option(("--size",), 14, "", "as-human"),
        Option(("-c",), 21),
    )
    assert (made["add-user",].help, made["add-user",].options[0].names) == (
        "Adds a user.", ("NAME",),
    )  # fmt: skip
    assert made["ls",].options[0].names == ("--all",)
    assert made["keys",].children == ("Elsewhere",)
    assert facts.settings == (
        Setting("SHOP_LOUD", "env", 9, "false", False, "Say more."),
        Setting("SHOP_SIZE", "env", 14, "as-human", False, ""),
    )


def test_a_parser_that_a_subcommand_wraps_is_no_program() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Parser, Subcommand};
        #[derive(Parser)]
        enum Cmd { Add(Add), Import(Import) }
        #[derive(Parser)]
        struct Add { path: String }
        #[derive(Parser)]
        struct Import { #[clap(subcommand)] from: From }
        #[derive(Subcommand)]
        enum From { Fasd }
    """,
    )
    assert [each.words for each in facts.commands] == [("add",), ("import",), ("import", "fasd")]


def test_clap_builds_commands_from_chains() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Arg, Command as Shell};
        fn app() {
            let app = Shell::new("shop").about("Sells.")
                .arg(Arg::new("loud").short('l').long("loud").help("Say more").env("LOUD"))
                .subcommand(Shell::new("add").arg(Arg::new("name")));
            let app = app.subcommand(Shell::new("ls"));
            std::process::Command::new("git").arg("x");
        }
    """,
    )
    assert {(each.words, each.help) for each in facts.commands} == {
        ((), "Sells."), (("add",), ""), (("ls",), ""),
    }  # fmt: skip
    made = {each.words: each.options for each in facts.commands}
    assert made[()] == (Option(("-l", "--loud"), 5, "Say more"),)
    assert made["add",][0].names == ("NAME",)
    assert [each.name for each in facts.settings] == ["LOUD"]


def test_types_that_implement_a_flag_are_options() -> None:
    facts = facts_of(
        "Rust",
        """
        impl Flag for AfterContext {
            fn name_short(&self) -> Option<u8> { Some(b'A') }
            fn name_long(&self) -> &'static str { "after-context" }
            fn doc_short(&self) -> &'static str { r"Show lines." }
        }
        impl Other for X { fn name_long(&self) -> &'static str { "no" } }
    """,
    )
    assert facts.commands[0].options == (Option(("-A", "--after-context"), 2, "Show lines."),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('fn f() { std::env::var("A"); }', [("A", "env")]),
        ('use std::env;\nfn f() { env::var_os("B"); }', [("B", "env")]),
        ('use std::env::var;\nfn f() { var("C"); }', [("C", "env")]),
        ('const X: &str = env!("D"); const Y: &str = env!("CARGO_PKG_NAME");', [("D", "env")]),
        ('#[cfg(feature = "tls")]\nfn f() {}', [("tls", "feature")]),
        ('fn f() { var("E"); scope.var("F"); env::args(); }', []),
    ],
)
def test_settings_are_what_is_read_from_outside(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.name, each.kind) for each in facts_of("Rust", text).settings] == found


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("fn f() { env_logger::init(); }", [("RUST_LOG", None)]),
        (
            'use env_logger::Env;\nfn f() { let a = Env::new().default_filter_or("till=info"); }',
            [("RUST_LOG", "till=info")],
        ),
        ('use env_logger::Env;\nfn f() { let a = Env::new().filter("TILL_LOG"); }', []),
        (
            "use tracing_subscriber::{fmt, EnvFilter};\n"
            "fn f() { fmt().with_env_filter(EnvFilter::from_default_env()).init(); }",
            [("RUST_LOG", None)],
        ),
        ("struct Env;\nfn f() { let a = Env::new(); }", []),
    ],
)
def test_loggers_read_the_variable_for_their_levels(
    text: str, levels: list[tuple[str, str | None]]
) -> None:
    assert [(it.name, it.default) for it in facts_of("Rust", text).settings] == levels


def test_entities_are_what_an_orm_is_told() -> None:
    facts = facts_of(
        "Rust",
        """
        use diesel::prelude::*;
        use sqlx::FromRow;
        diesel::table! {
            users (id) {
                id -> Int4,
                #[sql_name = "mail"]
                email -> Nullable<Varchar>,
            }
        }
        #[derive(Queryable)]
        #[cfg_attr(feature = "full", diesel(table_name = pets))]
        pub struct Pet { #[diesel(column_name = "nick")] pub name: String }
        #[derive(FromRow)]
        struct Row { id: i64 }
        #[derive(Debug)]
        struct Plain { id: i64 }
        table! { not a table }
    """,
    )
    assert [(each.name, each.symbol, each.framework) for each in facts.entities] == [
        ("users", "", "diesel"), ("pets", "Pet", "diesel"), ("Row", "Row", "sqlx"),
    ]  # fmt: skip
    assert facts.entities[0].columns == (
        Column("id", "Int4", True, False, "", 6),
        Column("mail", "Nullable<Varchar>", False, False, "", 8),
    )
    assert facts.entities[1].columns[0].name == "nick"


def test_jobs_are_intervals_and_schedules() -> None:
    facts = facts_of(
        "Rust",
        """
        use tokio::time::interval;
        async fn watch() {
            let mut ticks = interval(Duration::from_secs(60));
            loop { ticks.tick().await; look(); }
        }
        async fn wait() { let schedule = cron::Schedule::from_str("0 5 * * * *"); }
        fn none() { every(5); }
    """,
    )
    assert [(each.name, each.trigger, each.framework) for each in facts.jobs] == [
        ("watch", "every 1 min", "tokio"),
        ("wait", "0 5 * * * *", "cron"),
    ]


def test_tests_are_functions_that_an_attribute_marks() -> None:
    facts = facts_of(
        "Rust",
        """
        fn main() {}
        #[cfg(test)]
        mod tests {
            #[test]
            fn adds() {}
            #[tokio::test]
            async fn waits() {}
            #[bench]
            fn fast(b: &mut Bencher) {}
            fn helper() {}
        }
    """,
    )
    assert facts.tests == (model.Test("tests.adds", 6), model.Test("tests.waits", 8))
    assert facts.entries == (Entry("main", "main", 2, "main"),)


def test_options_that_a_variable_is_given_later_belong_to_its_command() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Arg, Command};
        fn build() -> Command {
            let mut app = Command::new("bat").arg(Arg::new("plain").long("plain"));
            #[cfg(feature = "git")]
            {
                app = app.arg(Arg::new("diff").long("diff"));
            }
            app.arg(Arg::new("style").long("style")).subcommand(Command::new("cache"))
        }
    """,
    )
    told = {each.words: [name for option in each.options for name in option.names]
            for each in facts.commands}  # fmt: skip
    assert told == {(): ["--plain", "--diff", "--style"], ("cache",): []}


def test_an_attribute_of_actix_tells_the_methods_and_the_guard_of_a_route() -> None:
    facts = facts_of(
        "Rust",
        """
        use actix_web::{get, route};
        #[route("/{file}", method = "GET", method = "HEAD")]
        async fn serve() {}
        #[get("/list")]
        #[actix_web_grants::protect("TokenType::Auth", ty = TokenType)]
        async fn list() {}
    """,
    )
    assert [(r.method, r.path, r.guard) for r in facts.routes] == [
        ("GET", "/{file}", ""), ("HEAD", "/{file}", ""),
        ("GET", "/list", "actix_web_grants::protect"),
    ]  # fmt: skip


def test_a_router_of_the_project_is_told_a_path_and_then_what_answers_there() -> None:
    facts = facts_of(
        "Rust",
        """
        use hyper::Request;
        fn run() {
            let mut app = server::Server::new();
            app.at("/up").get(up);
            app.at("/settings")
                .get(|r| settings::get(r).boxed()).post(|r| settings::set(r).boxed());
            app.at("/x").get(|r| Box::pin(async move { none(r).await }));
            map.at("x").get(up);
            map.get("/y");
        }
    """,
    )
    assert [(r.method, r.path, r.handler) for r in facts.routes] == [
        ("GET", "/up", "up"),
        ("POST", "/settings", "settings::set"),
        ("GET", "/settings", "settings::get"),
        ("GET", "/x", ""),
    ]
