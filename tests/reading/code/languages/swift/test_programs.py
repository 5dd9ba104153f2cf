"""What programs of Swift serve, take, store and do: each proven by a module that is imported."""

from __future__ import annotations

from stationmaster.reading.code.model import Mount, Option, Setting
from stationmaster.reading.code.stored import Column
from tests.reading.code.reading import facts_of


def test_routes_of_vapor_are_below_their_groups() -> None:
    facts = facts_of(
        "Swift",
        """
        import Vapor
        func routes(_ app: Application) throws {
            app.get("hello", ":name") { req in "x" }
            let api = app.grouped("api", "v1").grouped(User.authenticator())
            api.post("users", use: create)
            app.group("admin") { admin in
                admin.on(.DELETE, "users", .parameter("id"), use: self.remove)
            }
            try api.register(collection: Pets())
            more(api)
            client.get("no") { x in x }
        }
        struct Pets: RouteCollection {
            func boot(routes: any RoutesBuilder) throws { routes.get(use: index) }
        }
    """,
    )
    assert [(r.method, r.path, r.owner, r.handler, r.guard) for r in facts.routes] == [
        ("GET", "/hello/:name", "routes", "", ""),
        ("POST", "/api/v1/users", "routes", "create", "User.authenticator()"),
        ("DELETE", "/admin/users/:id", "routes", "remove", ""),
        ("GET", "/", "Pets.boot", "index", ""),
    ]
    assert facts.mounts == (
        Mount("routes", "Pets.boot", "/api/v1", 10, ("User.authenticator()",)),
        Mount("routes", "more", "/api/v1", 11, ("User.authenticator()",)),
    )  # fmt: skip
    plain = 'func routes(_ app: Application) { app.get("x") { r in r } }'
    assert facts_of("Swift", plain).routes == ()


def test_commands_are_types_that_can_be_parsed() -> None:
    facts = facts_of(
        "Swift",
        """
        import ArgumentParser
        @main
        struct Shop: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Sells.", subcommands: [AddUser.self, Elsewhere.self])
            @Option(name: .shortAndLong, help: "How many.") var count: Int = 2
            @Flag(name: [.customLong("loud"), .customShort("l")]) var isLoud = false
        }
        struct AddUser: AsyncParsableCommand {
            /// Who it is.
            @Argument var userName: String
            @Option var dryRun: String?
        }
        struct Plain: Codable { @Option var no: Int }
    """,
    )
    made = {each.words: each for each in facts.commands}
    assert set(made) == {(), ("add-user",)}
    assert (made[()].help, made[()].handler, made[()].children) == (
        "Sells.", "Shop.run", ("Elsewhere",),
    )  # fmt: skip
    assert made[()].options == (
        Option(("-c", "--count"), 7, "How many.", "2"),
        Option(("--loud", "-l"), 8, "", "false"),
    )
    assert made["add-user",].options == (
        Option(("USER-NAME",), 12, "Who it is."), Option(("--dry-run",), 13),
    )  # fmt: skip
    assert facts_of("Swift", "struct A: ParsableCommand {}").commands == ()


def test_settings_are_variables_of_the_environment() -> None:
    facts = facts_of(
        "Swift",
        """
        import Vapor
        let a = ProcessInfo.processInfo.environment["SHOP_HOME"] ?? "x"
        let b = Environment.get("SHOP_KEY")
        let c = other.environment["NO"]
    """,
    )
    assert facts.settings == (Setting("SHOP_HOME", "env", 3), Setting("SHOP_KEY", "env", 4))


def test_models_of_fluent_are_tables() -> None:
    facts = facts_of(
        "Swift",
        """
        import Fluent
        final class Pet: Model, Content {
            static let schema = "pets"
            @ID(key: .id) var id: UUID?
            @Field(key: "nick") var name: String
            @Parent(key: "owner_id") var owner: User
        }
        struct Plain: Content { var id: Int }
    """,
    )
    assert [(each.name, each.symbol, each.framework) for each in facts.entities] == [
        ("pets", "Pet", "fluent")
    ]
    assert facts.entities[0].columns == (
        Column("id", "UUID?", True, False, "", 5), Column("nick", "String", False, False, "", 6),
        Column("owner_id", "User", False, False, "User", 7),
    )  # fmt: skip
