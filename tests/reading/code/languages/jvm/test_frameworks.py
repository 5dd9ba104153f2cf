from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import FileFacts, Mount
from stationmaster.reading.code.reading import read


def java(text: str) -> FileFacts:
    return read("Java", textwrap.dedent(text).encode())


def kotlin(text: str) -> FileFacts:
    return read("Kotlin", textwrap.dedent(text).encode())


def told(facts: FileFacts) -> list[tuple[str, str, str]]:
    return [(each.method, each.path, each.handler) for each in facts.routes]


def test_spring_routes_stand_below_the_path_of_their_class_in_both_spellings() -> None:
    facts = java("""\
        package shop;
        import org.springframework.web.bind.annotation.*;
        import org.springframework.security.access.prepost.PreAuthorize;
        @RestController
        @RequestMapping("/orders")
        class Orders {
            @GetMapping
            List<Order> all() { return null; }
            @GetMapping({"/{id}", "/by/{id}"})
            Order one() { return null; }
            @PreAuthorize("isAdmin()")
            @RequestMapping(path = "lines", method = {RequestMethod.POST, RequestMethod.PUT})
            void add() {}
            @Get("/no")
            void no() {}
        }
    """)
    assert told(facts) == [
        ("GET", "/orders", "Orders.all"), ("GET", "/orders/by/{id}", "Orders.one"),
        ("GET", "/orders/{id}", "Orders.one"), ("POST", "/orders/lines", "Orders.add"),
        ("PUT", "/orders/lines", "Orders.add"),
    ]  # fmt: skip
    assert [each.guard for each in facts.routes] == ["", "", "", *['PreAuthorize("isAdmin()")'] * 2]


def test_an_annotation_that_says_who_may_call_is_a_guard_of_any_package() -> None:
    facts = java("""
        import org.springframework.web.bind.annotation.*;
        import com.example.sso.Access;
        @RestController
        class Orders {
            @GetMapping("/all") @Access(role = Roles.ADMIN)
            List<Order> all() { return null; }
            @GetMapping("/open") @Access(login = false)
            List<Order> open() { return null; }
            @GetMapping("/cut") @SaCheckPermission("order:cut")
            List<Order> cut() { return null; }
        }
    """)
    assert {it.path: it.guard for it in facts.routes} == {
        "/all": "Access(role = Roles.ADMIN)", "/open": "@Access(login = false)",
        "/cut": 'SaCheckPermission("order:cut")',
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        'import other.*; @RestController class A { @GetMapping("/x") void x() {} }',
        'import org.springframework.web.bind.annotation.*;'
        ' class A { @GetMapping("/x") void x() {} }',
        'import org.springframework.web.bind.annotation.GetMapping; import lombok.Data;'
        ' @Data @Deprecated class A { @GetMapping("/x") void x() {} }',
        'import org.springframework.web.bind.annotation.*; import feign.FeignClient;'
        ' @FeignClient @RequestMapping interface A { @GetMapping("/x") void x(); }',
        'import org.springframework.web.bind.annotation.GetMapping; import shop.Client;'
        ' @Client interface A { @GetMapping("/x") void x(); }',
    ],
    ids=["other package", "no controller", "only libraries", "a client", "a client of its own"],
)  # fmt: skip
def test_what_only_looks_like_a_spring_route_is_none(text: str) -> None:
    assert java(text).routes == ()


def test_an_annotation_of_the_project_may_stand_for_that_of_a_controller() -> None:
    facts = java("""\
        package shop;
        import org.springframework.web.bind.annotation.GetMapping;
        @AdminController
        class Orders { @GetMapping("/orders") List<Order> all() { return null; } }
    """)
    assert told(facts) == [("GET", "/orders", "Orders.all")]


def test_a_class_of_jax_rs_has_its_path_and_so_has_the_application() -> None:
    facts = java("""\
        import jakarta.ws.rs.*;
        @Path("/orders")
        class Orders { @GET @Path("{id}") Order one() { return null; }
        @POST void add() {} }
        @RegisterRestClient @Path("/other") interface Client { @GET Order get(); }
        @ApplicationPath("api") class App extends Application {}
    """)
    assert [(it.path, it.owner, it.handler) for it in facts.routes[:2]] == [
        ("/{id}", "Orders", "Orders.one"),
        ("", "Orders", "Orders.add"),
    ]
    assert facts.mounts == (
        Mount("", "Orders", "/orders", 2), Mount("@ApplicationPath", "App", "/api", 6),
    )  # fmt: skip
    servlet = java("""\
        import org.glassfish.jersey.servlet.ServletContainer;
        class Server { void init() {
            handler.addServlet(new ServletHolder(new ServletContainer(config)), "/api/*");
            handler.addServlet(new ServletHolder(new DefaultServlet()), "/media/*");
        } }
    """)
    assert servlet.mounts == (Mount("@ApplicationPath", "ServletContainer", "/api", 3),)


def test_micronaut_and_functional_routes() -> None:
    assert told(java("""\
        import io.micronaut.http.annotation.*;
        @Controller("/orders") class Orders { @Get("/{id}") Order one() { return null; } }
    """)) == [("GET", "/orders/{id}", "Orders.one")]  # fmt: skip
    assert told(java("""\
        import org.springframework.web.reactive.function.server.RouterFunctions;
        class Orders { Object routes() {
            return RouterFunctions.route().GET("/orders", this::all).build();
        } }
    """)) == [("GET", "/orders", "Orders.all")]  # fmt: skip


def test_ktor_routes_stand_in_the_blocks_around_them() -> None:
    facts = kotlin("""\
        import io.ktor.server.routing.*
        fun Application.orders() {
            routing {
                get("/health") { call.respond("ok") }
                route("/orders") {
                    authenticate("admin") {
                        post { }
                        delete("{id}") { store.get("x") }
                    }
                }
            }
        }
    """)
    assert told(facts) == [
        ("GET", "/health", "orders"), ("POST", "/orders", "orders"),
        ("DELETE", "/orders/{id}", "orders"),
    ]  # fmt: skip
    assert [each.guard for each in facts.routes] == ["", "authenticate", "authenticate"]
    assert kotlin('fun f() {\n get("/health") { }\n}').routes == ()


def test_settings_are_injected_bound_and_asked_for() -> None:
    facts = java("""\
        import org.springframework.beans.factory.annotation.Value;
        import org.springframework.boot.context.properties.ConfigurationProperties;
        import org.springframework.core.env.Environment;
        @ConfigurationProperties(prefix = "shop.mail")
        class Mail {
            @Value("${shop.size:10}/${shop.unit}") String size;
            private String hostName;
            private static int count;
            void read() {
                System.getenv("SHOP_HOME");
                System.getProperty("shop.dir", "x");
                environment.getRequiredProperty("shop.url");
                map.getProperty("no");
                Long.getLong("shop.rows", 20L);
                Integer.getInteger("shop.wait", SECONDS.toMillis(30));
                Boolean.getBoolean("shop.open");
            }
        }
    """)
    assert [(each.name, each.kind, each.default, each.is_required) for each in facts.settings] == [
        ("shop.mail.size", "key", None, False), ("shop.size", "key", "10", False),
        ("shop.unit", "key", None, True), ("shop.mail.host-name", "key", None, False),
        ("SHOP_HOME", "env", None, False), ("shop.dir", "key", "x", False),
        ("shop.url", "key", None, True), ("shop.rows", "key", "20", False),
        ("shop.wait", "key", "SECONDS.toMillis(30)", False), ("shop.open", "key", "false", False),
    ]  # fmt: skip


def test_entities_have_their_tables_columns_and_references() -> None:
    facts = java("""\
        import jakarta.persistence.*;
        @Entity
        @Table(name = "orders")
        class Order {
            static final int LIMIT = 1;
            @Id private Long id;
            @Column(name = "code", unique = true) private String shopCode;
            private int size;
            @ManyToOne private Customer customer;
            @OneToMany private List<Line> lines;
            @OneToOne(mappedBy = "order") private Bill bill;
            @Transient private int cached;
        }
        class Plain { int x; }
    """)
    assert len(facts.entities) == 1
    order = facts.entities[0]
    assert (order.name, order.kind, order.symbol, order.framework) == (
        "orders", "table", "Order", "JPA",
    )  # fmt: skip
    assert [(c.name, c.type, c.is_key, c.is_unique, c.references) for c in order.columns] == [
        ("id", "Long", True, False, ""), ("code", "String", False, True, ""),
        ("size", "int", False, False, ""), ("customer_id", "Customer", False, False, "Customer"),
    ]  # fmt: skip


def test_kotlin_entities_are_of_constructors_and_of_exposed_tables() -> None:
    facts = kotlin("""\
        import jakarta.persistence.Entity
        import jakarta.persistence.Id
        import org.jetbrains.exposed.dao.id.IntIdTable
        @Entity
        class Order(
            @Id val id: Long,
            val code: String?,
        )
        object Lines : IntIdTable("order_lines") {
            val name = varchar("name", 50)
            val order = reference("order_id", Orders)
        }
        object TillTable : Table() { val rows = integer("rows") }
    """)
    assert [(each.name, each.framework) for each in facts.entities] == [
        ("Order", "JPA"), ("order_lines", "Exposed"), ("Till", "Exposed"),
    ]  # fmt: skip
    assert [(c.name, c.type, c.is_key) for c in facts.entities[0].columns] == [
        ("id", "Long", True), ("code", "String?", False),
    ]  # fmt: skip
    assert [(c.name, c.type, c.references) for c in facts.entities[1].columns] == [
        ("id", "integer", ""), ("name", "varchar", ""), ("order_id", "reference", "Orders"),
    ]  # fmt: skip


def test_jobs_tests_and_entries_are_found_by_their_annotations() -> None:
    facts = java("""\
        import org.junit.jupiter.api.Test;
        import org.junit.jupiter.params.ParameterizedTest;
        import org.springframework.scheduling.annotation.Scheduled;
        import org.springframework.kafka.annotation.KafkaListener;
        import org.springframework.context.event.EventListener;
        import org.springframework.boot.autoconfigure.SpringBootApplication;
        import org.quartz.Job;
        @SpringBootApplication
        class Shop {
            public static void main(String[] args) {}
            @Scheduled(cron = "0 0 * * * *") void clean() {}
            @KafkaListener(topics = {"orders", "lines"}) void take(Order order) {}
            @EventListener(shop.Paid.class) void paid() {}
            @Test void works() {}
            @ParameterizedTest void each() {}
        }
        class Sweep implements Job {}
        class Tool { static public void main(String... args) {} void main() {} }
    """)
    assert [(each.name, each.kind, each.trigger, each.framework) for each in facts.jobs] == [
        ("clean", "schedule", "0 0 * * * *", "Spring"),
        ("take", "consumer", "orders, lines", "Kafka"), ("paid", "event", "Paid", "Spring"),
        ("Sweep", "worker", "", "Quartz"),
    ]  # fmt: skip
    assert [(each.name, each.line) for each in facts.tests] == [("works", 14), ("each", 15)]
    assert [(each.name, each.kind, each.symbol) for each in facts.entries] == [
        ("Shop", "server", "Shop"), ("Tool", "main", "Tool.main(String…)"),
    ]  # fmt: skip


def test_a_listener_names_its_events_and_a_rate_its_unit() -> None:
    facts = kotlin("""\
        import org.springframework.context.event.EventListener
        import org.springframework.scheduling.annotation.Scheduled
        @Component
        class Sweeper {
            @EventListener(Shop.Paid::class, Sent::class) fun sweep() {}
            @EventListener fun take(event: Paid) {}
            @Scheduled(fixedRate = 10_000) fun count() {}
            @Scheduled(fixedDelayString = "5", timeUnit = TimeUnit.SECONDS) fun wait() {}
        }
    """)
    assert [(each.name, each.trigger) for each in facts.jobs] == [
        ("sweep", "Paid, Sent"),
        ("take", "Paid"),
        ("count", "fixedRate: 10000 milliseconds"),
        ("wait", "fixedDelay: 5 seconds"),
    ]


def test_kotest_cases_and_kotlin_entries() -> None:
    facts = kotlin("""\
        import io.kotest.core.spec.style.FunSpec
        import io.ktor.server.engine.embeddedServer
        class OrderTest : FunSpec({
            test("adds up") { }
        })
        fun main() {
            embeddedServer(Netty, port = 80) { }
        }
    """)
    assert [each.name for each in facts.tests] == ["adds up"]
    assert [(each.name, each.kind) for each in facts.entries] == [("main", "server")]


def test_picocli_jcommander_and_clikt_commands_have_options() -> None:
    facts = java("""\
        import picocli.CommandLine.Command;
        import picocli.CommandLine.Option;
        import picocli.CommandLine.Parameters;
        @Command(name = "add", description = {"Adds an order.", "Fast."})
        class Add {
            @Option(names = {"-n", "--name"}, description = "Its name.", defaultValue = "x")
            String n;
            @Parameters(paramLabel = "<file>") String file;
            int other;
        }
    """)
    assert [(c.words, c.help, c.handler) for c in facts.commands] == [
        (("add",), "Adds an order. Fast.", "Add")
    ]
    assert [(o.names, o.help, o.default) for o in facts.commands[0].options] == [
        (("-n", "--name"), "Its name.", "x"), (("file",), "", None),
    ]  # fmt: skip
    (command,) = kotlin("""\
        import com.beust.jcommander.Parameter
        class Args {
            @Parameter(names = ["--input", "-i"], description = "What to read.")
            var input: String? = null
        }
    """).commands
    assert (command.words, command.options[0].names) == ((), ("--input", "-i"))
    (command,) = kotlin("""\
        import com.github.ajalt.clikt.core.CliktCommand
        import com.github.ajalt.clikt.parameters.options.option
        class AddOrderCommand : CliktCommand() {
            val name by option("-n", "--name", help = "Its name.")
            val dryRun by option()
        }
    """).commands
    assert command.words == ("add-order",)
    assert [(o.names, o.help) for o in command.options] == [
        (("-n", "--name"), "Its name."), (("--dry-run",), ""),
    ]  # fmt: skip


def test_classes_of_properties_of_kotlin_have_nested_keys_defaults_and_meanings() -> None:
    facts = kotlin("""\
        package shop
        import org.springframework.boot.context.properties.ConfigurationProperties
        @ConfigurationProperties(prefix = "shop")
        class ShopProperties {
            /** How many pages. It may be none. */
            @Positive
            var pageCount: Int = 3
            var cors = Cors()
            var mode: Mode? = Mode.FAST
            var wait: Duration = Duration.ofSeconds(2)
            var mirrors: List<Mirror> = emptyList()
            var shelves: Map<String, Mirror> = emptyMap()
            private val log = KotlinLogging.logger {}
            class Cors {
                var allowedOrigins: List<String> = emptyList()
            }
        }
        data class Mirror(val url: String, val isOn: Boolean = true)
    """)
    assert sorted((it.name, it.type, it.default, it.doc) for it in facts.settings) == [
        ("shop.cors.allowed-origins", "List<String>", None, ""),
        ("shop.mirrors[].is-on", "Boolean", "true", ""),
        ("shop.mirrors[].url", "String", None, ""),
        ("shop.mode", "Mode?", "FAST", ""),
        ("shop.page-count", "Int", "3", "How many pages. It may be none."),
        ("shop.shelves.*.is-on", "Boolean", "true", ""),
        ("shop.shelves.*.url", "String", None, ""),
        ("shop.wait", "Duration", "2s", ""),
    ]  # fmt: skip


def test_the_prefix_of_properties_may_be_a_constant() -> None:
    facts = java("""\
        import org.springframework.boot.context.properties.ConfigurationProperties;
        import org.springframework.boot.context.properties.bind.DefaultValue;
        @ConfigurationProperties(MailProperties.PREFIX)
        record MailProperties(String host, @DefaultValue("25") int port) {
            static final String PREFIX = "shop.mail";
        }
        @ConfigurationProperties(Elsewhere.PREFIX)
        class Other { String no; }
    """)
    assert [(each.name, each.default) for each in facts.settings] == [
        ("shop.mail.host", None), ("shop.mail.port", "25"),
    ]  # fmt: skip
