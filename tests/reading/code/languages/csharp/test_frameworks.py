from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.reading import read


def csharp(text: str) -> FileFacts:
    return read("C#", textwrap.dedent(text).encode())


def told(facts: FileFacts) -> list[tuple[str, str, str]]:
    return [(each.method, each.path, each.handler) for each in facts.routes]


def test_controllers_have_routes_below_those_of_their_class() -> None:
    facts = csharp("""\
        using Microsoft.AspNetCore.Mvc;
        [ApiController, Route("api/[controller]")]
        [Authorize]
        public class OrdersController : ControllerBase
        {
            [HttpGet]
            public IActionResult All() => Ok();
            [HttpGet("{id}"), AllowAnonymous]
            public IActionResult One(int id) => Ok();
            [HttpPost, Route("[action]")]
            public IActionResult Add() => Ok();
            [HttpDelete("/orders/{id}"), Authorize(Policy = "Admin")]
            public IActionResult Drop() => Ok();
            public IActionResult Never() => Ok();
        }
    """)
    assert told(facts) == [
        ("GET", "/api/Orders", "OrdersController.All"),
        ("GET", "/api/Orders/{id}", "OrdersController.One"),
        ("POST", "/api/Orders/Add", "OrdersController.Add"),
        ("DELETE", "/orders/{id}", "OrdersController.Drop"),
    ]
    assert [each.guard for each in facts.routes] == [
        "Authorize", "Authorize", "Authorize", "Authorize(Admin)",
    ]  # fmt: skip


def test_a_controller_is_put_where_an_attribute_of_its_base_says() -> None:
    base = csharp("""\
        using Microsoft.AspNetCore.Mvc;
        [Route("api/[controller]/[action]")]
        public abstract class Base : ControllerBase { }
    """)
    assert [(each.name, each.prefix) for each in base.wiring.makers] == [
        ("Base", "api/{class}/[action]")
    ]
    facts = csharp("""\
        using Microsoft.AspNetCore.Mvc;
        public class OrdersController : Base
        {
            [HttpGet("{id}")]
            public IActionResult One(int id) => Ok();
            [HttpGet("/all")]
            public IActionResult All() => Ok();
        }
    """)
    assert [(each.path, each.owner) for each in facts.routes] == [
        ("/{id}", "OrdersController"),
        ("/all", ""),
    ]
    assert [(each.maker, each.given) for each in facts.wiring.made] == [
        ("Base", {"class": "Orders"})
    ]


def test_minimal_routes_stand_below_the_prefixes_of_their_groups() -> None:
    facts = csharp("""\
        var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        app.MapGet("/", () => "hello");
        var api = app.MapGroup("/api").RequireAuthorization();
        var orders = api.MapGroup("orders");
        orders.MapPost("{id}", Orders.Add);
        app.MapGroup("/admin").MapDelete("/all", () => 1).RequireAuthorization();
        cache.MapGet("/no", () => 1);
    """)
    assert told(facts) == [
        ("GET", "/", ""), ("POST", "/api/orders/{id}", "Orders.Add"), ("DELETE", "/admin/all", ""),
    ]  # fmt: skip
    assert [each.guard for each in facts.routes] == [
        "", "RequireAuthorization", "RequireAuthorization",
    ]  # fmt: skip


def test_routes_are_there_for_versions_and_under_conditions() -> None:
    facts = csharp("""\
        var app = WebApplication.CreateBuilder(args).Build();
        var both = app.MapGroup("/api").HasApiVersion(1, 0).HasApiVersion(2, 0);
        var second = app.MapGroup("/api").HasApiVersion(2.0);
        both.MapGet("/items", Items.First);
        second.MapGet("/items/all", Items.Second);
        if (app.Environment.IsDevelopment()) { app.MapGet("/debug", Items.Debug); }
        else { app.MapGet("/live", Items.Live); }
        app.MapGet("/", Items.Home);
    """)
    assert [(each.path, each.condition) for each in facts.routes] == [
        ("/api/items", "HasApiVersion(1, 0) or HasApiVersion(2, 0)"),
        ("/api/items/all", "HasApiVersion(2.0)"),
        ("/debug", "app.Environment.IsDevelopment()"),
        ("/live", "!(app.Environment.IsDevelopment())"),
        ("/", ""),
    ]


def test_a_method_that_extends_the_builder_maps_routes_but_one_of_the_same_name_is_none() -> None:
    facts = csharp("""\
        public static class OrdersApi
        {
            public static RouteGroupBuilder MapOrders(this IEndpointRouteBuilder app)
            {
                var api = app.MapGroup("api/orders");
                api.MapGet("/", All);
                return api;
            }
            static IResult All() => null;
            public static void MapGet(this Cache cache, string key) { cache.MapGet(key); }
        }
    """)
    assert told(facts) == [("GET", "/api/orders", "OrdersApi.All")]


def test_settings_are_keys_of_the_configuration_and_variables() -> None:
    facts = csharp("""\
        class Setup(IConfiguration settings) {
            void Read() {
                settings.GetValue<int>("Shop:Size", 3);
                builder.Configuration.GetSection("Mail").Bind(x);
                Configuration.GetConnectionString("Shop");
                settings["Shop:Name"];
                Environment.GetEnvironmentVariable("SHOP_HOME");
                cache.GetValue("no");
                cache["no"];
            }
        }
    """)
    assert facts.settings[0].default == "3"
    assert [(each.name, each.kind) for each in facts.settings] == [
        ("Shop:Size", "key"), ("Mail", "key"), ("ConnectionStrings:Shop", "key"),
        ("Shop:Name", "key"), ("SHOP_HOME", "env"),
    ]  # fmt: skip


def test_entities_are_sets_configurations_and_annotated_classes() -> None:
    facts = csharp("""\
        using System.ComponentModel.DataAnnotations.Schema;
        class ShopContext : DbContext {
            public DbSet<Order> Orders { get; set; }
            public string Name { get; set; }
        }
        class LineConfiguration : IEntityTypeConfiguration<Line> {
            public void Configure(EntityTypeBuilder<Line> builder) {
                builder.ToTable("order_lines");
                builder.HasKey(x => x.Id);
                builder.Property(x => x.Id);
                builder.Property(x => x.Count).IsRequired();
            }
        }
        [Table("clerks")]
        class Clerk {
            [Key] public int Id { get; set; }
            [Column("full_name")] public string Name { get; set; }
        }
        class Other { public DbSet<Order> Orders { get; set; } }
    """)
    assert [(each.name, each.symbol) for each in facts.entities] == [
        ("Orders", "Order"), ("order_lines", "Line"), ("clerks", "Clerk"),
    ]  # fmt: skip
    assert [(c.name, c.type, c.is_key) for each in facts.entities for c in each.columns] == [
        ("Id", "", True), ("Count", "", False), ("Id", "int", True), ("full_name", "string", False),
    ]  # fmt: skip


def test_handlers_of_events_are_registered_with_them_or_build_on_them() -> None:
    facts = csharp("""\
        class Mail : INotificationHandler<Sent> { public Task Handle(Sent it) => null; }
        class Setup { void Run() {
            bus.AddSubscription<Paid, PaidHandler>();
            bus.Subscribe<Shop.Lost, Shop.LostHandler>(1);
            services.AddHandler<IClock, ClockHandler>();
            bus.Subscribe<Paid, Queue>();
        } }
    """)
    assert [(each.trigger, each.name, each.handler) for each in facts.jobs] == [
        ("Sent", "Mail", "Mail.Handle"), ("Paid", "PaidHandler", "PaidHandler"),
        ("Lost", "LostHandler", "Shop.LostHandler"),
    ]  # fmt: skip
    assert {each.kind for each in facts.jobs} == {"event"}


def test_jobs_are_workers_handlers_and_what_recurs() -> None:
    facts = csharp("""\
        class Sweep : BackgroundService {}
        abstract class Base : BackgroundService {}
        class AddHandler : IRequestHandler<AddOrder, bool> {}
        class Quiet : IJob {}
        class Setup { void Run() {
            RecurringJob.AddOrUpdate("nightly", () => Go(), "0 0 * * *");
            cache.AddOrUpdate("no", 1);
        } }
    """)
    assert [(each.name, each.kind, each.trigger, each.framework) for each in facts.jobs] == [
        ("Sweep", "worker", "", ".NET"), ("Base", "worker", "", ".NET"),
        ("nightly", "schedule", "0 0 * * *", "Hangfire"),
    ]  # fmt: skip
    assert [each.name for each in facts.jobs if each.is_abstract] == ["Base"]


@pytest.mark.parametrize(
    ("call", "job"),
    [
        ('RecurringJob.AddOrUpdate(BackupId, () => _backup.Run(), Cron.Daily, options);',
         ("backup", "Cron.Daily", "_backup.Run")),
        ('RecurringJob.AddOrUpdate(Other.Id, "queue", () => Go(), () => Cron.From(set));',
         ("Other.Id", "Cron.From(set)", "Go")),
        ('_recurringJobs.AddOrUpdate<IMailer>("mail", m => m.Send(null), Cron.Hourly());',
         ("mail", "Cron.Hourly()", "IMailer.Send")),
        ("RecurringJob.AddOrUpdate(() => this.Clean(), Cron.Weekly);",
         ("Clean", "Cron.Weekly", "Clean")),
    ],
)  # fmt: skip
def test_a_recurring_job_is_called_by_its_constant_and_runs_what_its_lambda_calls(
    call: str, job: tuple[str, str, str]
) -> None:
    facts = csharp(f"""\
        class Setup {{
            public const string BackupId = "backup";
            void Run() {{ {call} }}
        }}
    """)
    assert [(each.name, each.trigger, each.handler) for each in facts.jobs] == [job]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ('using System;\nConsole.WriteLine("x");', ("Program", "main", 2)),
        ("var app = WebApplication.CreateBuilder(args).Build();", ("Program", "server", 1)),
        ("class Tool { static int Main(string[] args) => 0; }", ("Tool", "main", 1)),
        ("var b = DistributedApplication.CreateBuilder(args);", ("Program", "app", 1)),
    ],
)
def test_a_program_begins_at_its_top_level_or_in_main(
    text: str, entry: tuple[str, str, int]
) -> None:
    assert [(each.name, each.kind, each.line) for each in csharp(text).entries] == [entry]


def test_tests_are_methods_that_an_attribute_marks() -> None:
    facts = csharp("""\
        class OrderTests {
            [Fact] public void Works() {}
            [Theory, InlineData(1)] public void Each(int x) {}
            public void Helper() {}
        }
    """)
    assert [each.name for each in facts.tests] == ["Works", "Each"]


def test_commands_are_made_added_or_verbs() -> None:
    facts = csharp("""\
        using System.CommandLine;
        var root = new RootCommand("Keeps a shop.");
        var size = new Option<int>("--size", "How many.");
    """)
    assert [(c.words, c.help) for c in facts.commands] == [((), "Keeps a shop.")]
    assert [(o.names, o.help) for o in facts.commands[0].options] == [(("--size",), "How many.")]
    facts = csharp("""\
        using CommandLine;
        [Verb("add", HelpText = "Adds an order.")]
        class Add { [Option("name", HelpText = "Its name.")] public string Name { get; set; } }
    """)
    assert [(c.words, c.help, c.options[0].names) for c in facts.commands] == [
        (("add",), "Adds an order.", ("--name",))
    ]
    facts = csharp("""\
        using CommandLine;
        class Options { [Option('n', "name", Default = 3)] public string Name { get; set; }
          [Value(0, MetaName = "till")] public string Till { get; set; } }
        class Program { static void Main(string[] a) => Parser.Default.ParseArguments<Options>(a); }
    """)
    assert [(c.words, c.parts, c.is_part) for c in facts.commands] == [
        ((), (), True),
        ((), ("Options",), False),
    ]
    assert [(o.names, o.default) for o in facts.commands[0].options] == [
        (("-n", "--name"), "3"),
        (("TILL",), None),
    ]
    assert csharp('var c = new Command("no");').commands == ()


def test_routes_are_mapped_on_the_endpoints_of_an_application() -> None:
    facts = csharp("""
        using Microsoft.AspNetCore.Builder;
        class Startup {
          public void Configure(IApplicationBuilder app) {
            app.UseEndpoints(endpoints => { endpoints.MapGet("/up", Up); });
            app.UseEndpoints((e) => { e.MapHub<Chat>("/hub"); });
          }
        }
    """)
    assert [(each.method, each.path) for each in facts.routes] == [("GET", "/up"), ("ANY", "/hub")]


def test_a_class_below_a_controller_of_the_project_answers_requests() -> None:
    facts = csharp("""
        namespace Shop;
        public class TillsController : VersionedApiController<Till>
        {
            [HttpPost("search")]
            public Task Search(Request request) { return null; }
        }
        public class Client : IClient
        {
            [HttpGet("no")]
            public Task Ask() { return null; }
        }
    """)
    assert [(it.method, it.path, it.handler) for it in facts.routes] == [
        ("POST", "/search", "TillsController.Search")
    ]


def test_an_option_without_a_name_is_called_after_its_property() -> None:
    facts = csharp("""\
        using CommandLine;
        class Options { [Option(Required = true)] public string Till { get; set; }
          [Option(Names.All)] public bool All { get; set; }
          [Option('c', Names.Coin)] public string Coin { get; set; } }
    """)
    assert [it.names for it in facts.commands[0].options] == [("--till",), ("-c",)]


def test_a_group_is_behind_what_is_asked_of_it_afterwards_unless_a_route_lets_all_in() -> None:
    facts = csharp("""
        static class Api {
            static void MapTodos(this IEndpointRouteBuilder routes) {
                var group = routes.MapGroup("/todos");
                group.RequireAuthorization(policy => policy.RequireUser());
                group.MapGet("/", () => 1);
                group.MapPost("/x", () => 1).AllowAnonymous();
            }
        }
    """)  # fmt: skip
    assert [(it.path, it.guard) for it in facts.routes] == [
        ("/todos", "RequireAuthorization"), ("/todos/x", "AllowAnonymous"),
    ]  # fmt: skip


def test_keys_are_below_the_section_that_a_variable_holds() -> None:
    facts = csharp("""\
        class Setup
        {
            void Run(IConfiguration configuration)
            {
                var identity = configuration.GetSection("Identity");
                var url = identity.GetRequiredValue("Url");
                var audience = identity["Audience"];
                var back = configuration.GetRequiredValue("CallBackUrl");
                var no = cache.GetRequiredValue("No");
            }
        }
    """)
    keys = [(each.name, each.is_required) for each in facts.settings]
    assert keys == [
        ("Identity", False), ("Identity:Url", True), ("Identity:Audience", False),
        ("CallBackUrl", True),
    ]  # fmt: skip
