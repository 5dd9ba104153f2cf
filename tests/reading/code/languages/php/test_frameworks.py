from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.reading import read


def php(text: str) -> FileFacts:
    return read("PHP", ("<?php\n" + textwrap.dedent(text)).encode())


def told(facts: FileFacts) -> list[tuple[str, str, str]]:
    return [(each.method, each.path, each.handler) for each in facts.routes]


def test_laravel_routes_stand_in_the_groups_around_them() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        Route::prefix('api')->middleware('api')->group(static function () {
            Route::get('ping', static fn () => null);
            Route::group(['prefix' => 'v1', 'middleware' => ['auth']], function () {
                Route::post('/orders', [OrderController::class, 'store'])->name('x');
                Route::match(['get', 'post'], 'both', 'OrderController@both');
            });
            Route::get('me', MeController::class)->middleware('auth:web');
            Route::controller(LineController::class)->group(function () {
                Route::get('lines', 'index');
            });
        });
        $cache->get('no');
    """)
    assert told(facts) == [
        ("GET", "/api/ping", ""), ("POST", "/api/v1/orders", "OrderController.store"),
        ("GET", "/api/v1/both", "OrderController.both"),
        ("POST", "/api/v1/both", "OrderController.both"),
        ("GET", "/api/me", "MeController.__invoke"), ("GET", "/api/lines", "LineController.index"),
    ]  # fmt: skip
    assert [each.further for each in facts.routes] == [
        ("api",), ("api", "auth"), ("api", "auth"), ("api", "auth"), ("api", "auth:web"), ("api",),
    ]  # fmt: skip


def test_resources_are_their_actions() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        Route::apiResource('companies.orders', OrderController::class)->except('update', 'destroy');
        Route::resource('photos', PhotoController::class)->only(['edit']);
    """)
    assert told(facts) == [
        ("GET", "/companies/{company}/orders", "OrderController.index"),
        ("POST", "/companies/{company}/orders", "OrderController.store"),
        ("GET", "/companies/{company}/orders/{order}", "OrderController.show"),
        ("GET", "/photos/{photo}/edit", "PhotoController.edit"),
    ]


def test_route_files_are_mounted_below_the_prefix_that_names_them() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        Route::prefix('api')->group(base_path('routes/api.php'));
    """)
    assert [(each.owner, each.child, each.prefix) for each in facts.mounts] == [
        ("", "routes/api.php", "/api")
    ]
    facts = php("""\
        return Application::configure()->withRouting(
            web: __DIR__ . '/../routes/web.php', api: __DIR__ . '/../routes/api.php',
        )->create();
    """)
    assert [(each.child, each.prefix, each.guards) for each in facts.mounts] == [
        ("./../routes/web.php", "", ("web",)), ("./../routes/api.php", "/api", ("api",)),
    ]  # fmt: skip


def test_slim_and_symfony_routes() -> None:
    facts = php("""\
        use Slim\\Factory\\AppFactory;
        use Slim\\Routing\\RouteCollectorProxy;
        $app = AppFactory::create();
        $app->get('/', HomeAction::class);
        $app->group('/users', function (RouteCollectorProxy $group) {
            $group->get('/{id}', UserAction::class . ':show');
            $other->get('/no', 1);
        });
        $app->run();
    """)
    assert told(facts) == [
        ("GET", "/", "HomeAction.__invoke"), ("GET", "/users/{id}", "UserAction.show"),
    ]  # fmt: skip
    assert [(each.name, each.kind) for each in facts.entries] == [("Slim", "server")]
    facts = php("""\
        use Symfony\\Component\\Routing\\Attribute\\Route;
        #[Route('/orders')]
        class OrderController {
            #[Route('/{id}', name: 'show', methods: ['GET', 'HEAD'])]
            public function show() {}
            #[Route(path: '/all')]
            #[IsGranted('ADMIN')]
            public function all() {}
        }
    """)
    assert told(facts) == [
        ("GET", "/orders/{id}", "OrderController.show"),
        ("HEAD", "/orders/{id}", "OrderController.show"),
        ("ANY", "/orders/all", "OrderController.all"),
    ]
    assert [each.guard for each in facts.routes] == ["", "", "IsGranted('ADMIN')"]


def test_files_without_a_namespace_have_laravels_alias_and_options_of_resources() -> None:
    facts = php("""\
        Route::group(['namespace' => 'Api', 'prefix' => 'v1'], function () {
            Route::get('user', 'UserController@index');
            Route::resource('posts', 'PostController', ['only' => ['index', 'show']]);
        });
    """)
    assert told(facts) == [
        ("GET", "/v1/user", "Api\\UserController.index"),
        ("GET", "/v1/posts", "Api\\PostController.index"),
        ("GET", "/v1/posts/{post}", "Api\\PostController.show"),
    ]


@pytest.mark.parametrize(
    "text",
    ["namespace App; Route::get('/x', fn () => 1);",
     "use App\\Route; Route::get('/x', fn () => 1);",
     "$app->get('/x', fn () => 1);", "#[Route('/x')] class A { function x() {} }"],
)  # fmt: skip
def test_what_only_looks_like_a_route_is_none(text: str) -> None:
    assert php(text).routes == ()


def test_settings_are_read_from_the_environment() -> None:
    facts = php("""\
        return ['a' => env('SHOP_NAME', 'shop'), 'b' => env('SHOP_SIZE', 10), 'c' => env($x)];
        getenv('SHOP_HOME');
        $_ENV['SHOP_DIR'];
        $this->env('NO');
        $other['NO'];
    """)
    assert [(each.name, each.kind, each.default) for each in facts.settings] == [
        ("SHOP_NAME", "env", "shop"), ("SHOP_SIZE", "env", "10"), ("SHOP_HOME", "env", None),
        ("SHOP_DIR", "env", None),
    ]  # fmt: skip


def test_what_is_taken_where_a_variable_is_not_set_is_its_default() -> None:
    facts = php("""\
        define('DRIVER', getenv('DRIVER') ?: 'sqlite');
        define('PORT', intval(getenv('PORT')) ?: 80);
        $depth = (int) getenv('DEPTH') ?: 3;
        $host = $_ENV['HOST'] ?? 'localhost';
        $mode = getenv('MODE') ? strtolower(getenv('MODE')) === 'true' : true;
        $none = getenv('NONE') ?: null;
        $made = getenv('MADE') ?: make();
        $other = $_ENV['OTHER'] . 'x';
    """)
    assert dict.fromkeys((it.name, it.default) for it in facts.settings) == dict.fromkeys([
        ("DRIVER", "sqlite"), ("PORT", "80"), ("DEPTH", "3"), ("HOST", "localhost"),
        ("MODE", "true"), ("MODE", None), ("NONE", None), ("MADE", None), ("OTHER", None),
    ])  # fmt: skip


def test_the_cases_of_an_enum_that_reads_itself_from_the_environment_are_settings() -> None:
    facts = php("""\
        enum Variables: string {
            case NAME = 'SHOP_NAME';
            case SIZE = 'SHOP_SIZE';
            public function load(): mixed { return env($this->value); }
        }
        enum Sizes: string { case LARGE = 'LARGE'; }
    """)
    assert [(it.name, it.kind) for it in facts.settings] == [
        ("SHOP_NAME", "env"), ("SHOP_SIZE", "env"),
    ]  # fmt: skip


def test_entities_are_of_eloquent_migrations_and_doctrine() -> None:
    facts = php("""\
        use Illuminate\\Database\\Eloquent\\Model;
        class OrderLine extends Model {
            public function order() { return $this->belongsTo(Order::class); }
        }
    """)
    assert [(each.name, each.symbol, each.framework) for each in facts.entities] == [
        ("order_lines", "OrderLine", "Eloquent")
    ]
    assert [(c.name, c.references) for c in facts.entities[0].columns] == [("order_id", "Order")]
    facts = php("""\
        use Illuminate\\Support\\Facades\\Schema;
        return new class extends Migration {
            public function up(): void {
                Schema::create('orders', function (Blueprint $table) {
                    $table->id();
                    $table->string('code', 10)->unique();
                    $table->foreignId('clerk_id')->constrained();
                    $table->timestamps();
                });
            }
        };
    """)
    assert [(c.name, c.type, c.is_key, c.is_unique, c.references)
            for c in facts.entities[0].columns] == [
        ("id", "id", True, False, ""), ("code", "string", False, True, ""),
        ("clerk_id", "foreignId", False, False, "clerks"),
        ("created_at", "timestamps", False, False, ""),
        ("updated_at", "timestamps", False, False, ""),
    ]  # fmt: skip
    facts = php("""\
        use Doctrine\\ORM\\Mapping as ORM;
        #[ORM\\Entity]
        #[ORM\\Table(name: '`orders`')]
        class Order {
            #[ORM\\Id] #[ORM\\Column(type: 'integer')] private int $id;
            #[ORM\\Column(unique: true)] private string $code;
            #[ORM\\ManyToOne(targetEntity: Clerk::class)] private ?Clerk $clerk;
            #[ORM\\OneToOne(targetEntity: Bill::class, mappedBy: 'order')] private ?Bill $bill;
            private int $cached;
        }
    """)
    assert [(each.name, each.framework) for each in facts.entities] == [("orders", "Doctrine")]
    assert [(c.name, c.type, c.is_key, c.references) for c in facts.entities[0].columns] == [
        ("id", "integer", True, ""), ("code", "string", False, ""),
        ("clerk_id", "?Clerk", False, "Clerk"),
    ]  # fmt: skip
    assert php("class A extends Model {}").entities == ()


def test_jobs_are_queued_handled_and_scheduled() -> None:
    facts = php("""\
        use Illuminate\\Contracts\\Queue\\ShouldQueue;
        use Symfony\\Component\\Messenger\\Attribute\\AsMessageHandler;
        class SendMail implements ShouldQueue {}
        #[AsMessageHandler] class Handler { function __invoke(Message $m) {} }
        $schedule->command('orders:close')->onOneServer()->dailyAt('1:00');
        $schedule->job(new Sweep)->cron('0 * * * *');
        Schedule::job(new Jobs\\Run('books:close', 3, $now))->daily();
        Schedule::command(Prune::class, ['--all'])->weekly();
        Schedule::call([Till::class, 'close'])->hourly();
    """)
    assert [(each.name, each.kind, each.trigger) for each in facts.jobs] == [
        ("SendMail", "queue", ""), ("Handler", "consumer", ""),
        ("orders:close", "schedule", "dailyAt 1:00"), ("Sweep", "schedule", "0 * * * *"),
        ("Run('books:close', 3)", "schedule", "daily"), ("Prune", "schedule", "weekly"),
        ("Till.close", "schedule", "hourly"),
    ]  # fmt: skip
    assert [each.handler for each in facts.jobs][-4:] == ["Sweep", "Run", "Prune", "Till.close"]


def test_work_of_a_job_is_done_by_its_method_and_a_schedule_may_be_told_as_a_text() -> None:
    facts = php("""\
        use Illuminate\\Contracts\\Queue\\ShouldQueue;
        class SendMail implements ShouldQueue { function handle() {} }
        Schedule::job(Sweep::class, 'hourly');
        Schedule::job(Remind::class, 'minutes', 5);
        Schedule::job(new Waiting, 'default');
    """)
    assert [(each.name, each.trigger, each.handler) for each in facts.jobs] == [
        ("SendMail", "", "SendMail.handle"), ("Sweep", "hourly", "Sweep"),
        ("Remind", "minutes 5", "Remind"),
    ]  # fmt: skip


def test_subscribers_name_the_methods_that_handle_events() -> None:
    facts = php("""\
        use Symfony\\Component\\EventDispatcher\\EventSubscriberInterface;
        class Mail implements EventSubscriberInterface {
            public static function getSubscribedEvents(): array {
                return [
                    Paid::class => 'onPaid',
                    Sent::NAME => [['onSent', 10]],
                    'till.closed' => ['onClosed', 5],
                ];
            }
            public function onPaid(Paid $event): void {}
        }
    """)
    assert [(each.name, each.trigger) for each in facts.jobs] == [
        ("Mail.onPaid", "Paid"), ("Mail.onSent", "Sent::NAME"), ("Mail.onClosed", "till.closed"),
    ]  # fmt: skip


def test_commands_have_arguments_and_options() -> None:
    facts = php("""\
        use Illuminate\\Console\\Command;
        class CloseOrders extends Command {
            protected $signature = 'orders:close {order : Which one} {--A|all} {--size=10 : Many}';
            protected $description = 'Closes orders';
        }
    """)
    (command,) = facts.commands
    assert (command.words, command.help, command.handler) == (
        ("orders:close",), "Closes orders", "CloseOrders",
    )  # fmt: skip
    assert [(o.names, o.help, o.default) for o in command.options] == [
        (("order",), "Which one", None), (("-A", "--all"), "", None), (("--size",), "Many", "10"),
    ]  # fmt: skip
    (command,) = php("""\
        use Symfony\\Component\\Console\\Attribute\\AsCommand;
        use Symfony\\Component\\Console\\Command\\Command;
        #[AsCommand(name: 'app:add|app:plus', description: 'Adds.')]
        class Add extends Command {
            protected function configure(): void {
                $this->addArgument('name', 1, 'Name')->addOption('dry', 'd', 1, 'Don\\'t', 'no');
            }
        }
    """).commands
    assert (command.words, command.help) == (("app:add",), "Adds.")
    assert [(o.names, o.help, o.default) for o in command.options] == [
        (("name",), "Name", None), (("-d", "--dry"), "Don't", "no"),
    ]  # fmt: skip


def test_a_command_may_be_named_by_a_constant() -> None:
    (command,) = php("""\
        use Symfony\\Component\\Console\\Attribute\\AsCommand;
        use Symfony\\Component\\Console\\Command\\Command;
        #[AsCommand(name: Add::NAME, description: 'Adds.')]
        class Add extends Command {
            public const string OTHER = 'other';
            public const string NAME = 'app:add';
            public function __invoke(): int { return 0; }
        }
    """).commands
    assert (command.words, command.help) == (("app:add",), "Adds.")


def test_tests_are_methods_and_functions() -> None:
    facts = php("""\
        use PHPUnit\\Framework\\Attributes\\Test;
        class OrderTest extends TestCase {
            public function testWorks(): void {}
            #[Test] public function adds(): void {}
            public function helper(): void {}
            /**
             * @test
             * @dataProvider prices
             */
            public function summing(): void {}
        }
    """)
    assert [each.name for each in facts.tests] == ["testWorks", "adds", "summing"]
    facts = php("""\
        /** @internal */
        final class TeaTest extends Pot {
            public function testBrews(): void {}
            private function testNothing(): void {}
        }
    """)
    assert [each.name for each in facts.tests] == ["testBrews"]
    facts = php(
        "it('adds up', function () {});\ntest('works', fn () => 1);\n$x->it('no', fn () => 1);"
    )
    assert [each.name for each in facts.tests] == ["adds up", "works"]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("$app->handleRequest(Request::capture());", ("front controller", "server")),
        ("/*\n * Plugin Name: Shop Window\n */", ("Shop Window", "app")),
    ],
)
def test_a_program_begins_in_a_front_controller_or_is_a_plugin(
    text: str, entry: tuple[str, str]
) -> None:
    assert [(each.name, each.kind) for each in php(text).entries] == [entry]


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        (
            "use Slim\\App;\nuse Slim\\Interfaces\\RouteCollectorProxyInterface as Group;\n"
            "return function (App $app) { $app->group('/users', function (Group $group) {\n"
            "  $group->map(['GET', 'POST'], '/{id}', Show::class . ':run'); }); };",
            [("GET", "/users/{id}", "Slim"), ("POST", "/users/{id}", "Slim")],
        ),
        (
            "use Slim\\Routing\\RouteCollectorProxy as R;\n$app->any('/y', Y::class);\n"
            "$app->group('/api', function (R $g) { $g->get('/x', X::class); })->add(new Cors());",
            [("ANY", "/y", "Slim"), ("GET", "/api/x", "Slim")],
        ),
        ("$app = new \\Slim\\App();\n$app->get('/x', X::class);", [("GET", "/x", "Slim")]),
        (
            "use Mezzio\\Application;\nreturn static function (Application $app): void {\n"
            "    $app->get('/up', App\\Up::class, 'up');\n};",
            [("GET", "/up", "Mezzio")],
        ),
        ("return function (App $app) { $app->get('/x', X::class); };", []),
    ],
)
def test_routes_are_put_on_what_is_made_by_or_typed_as_a_collector(
    text: str, routes: list[tuple[str, str, str]]
) -> None:
    assert [(each.method, each.path, each.framework) for each in php(text).routes] == routes
