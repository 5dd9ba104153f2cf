"""Middleware and migrations of Laravel."""

from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.reading import read


def php(text: str) -> FileFacts:
    return read("PHP", ("<?php\n" + textwrap.dedent(text)).encode())


def test_middleware_of_laravel_is_told_from_the_outer_group_to_the_route_itself() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        Route::middleware(['web', 'audio.auth'])->middleware(Local::class)->group(function () {
            Route::group(['middleware' => [Limit::class . ':10', 'signed']], function () {
                Route::get('/a', 'A@a')->middleware('own')->can('see', 'order');
            });
            Route::resource('photos', PhotoController::class)->only('show')
                ->withoutMiddleware('audio.auth');
        });
    """)
    assert [each.further for each in facts.routes] == [
        ("web", "audio.auth", "Local", "Limit", "signed", "own", "can:see,order"),
        ("web", "audio.auth", "Local", "-audio.auth"),
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("""\
            class Kernel extends HttpKernel {
                protected $middlewareGroups = [
                    'web' => [
                        \\App\\Http\\Middleware\\Cookies::class,
                        // \\App\\Http\\Middleware\\Off::class,
                        'throttle:api',
                    ],
                    'api' => [],
                ];
                protected $routeMiddleware = ['auth' => Authenticate::class];
            }
         """, (("auth", ("Authenticate",)), ("web", ("Cookies", "throttle:api")))),
        ("""\
            return Application::configure()->withMiddleware(function (Middleware $middleware) {
                $middleware->alias(['audio.auth' => AudioAuth::class]);
                $middleware->api(prepend: [Restrict::class], remove: [Old::class]);
                $middleware->api(append: [Local::class]);
                $middleware->appendToGroup('inner', [Staff::class]);
            })->create();
         """, (("audio.auth", ("AudioAuth",)), ("api", ("Restrict", "Local")),
               ("inner", ("Staff",)))),
        ("Route::aliasMiddleware('role', RoleMiddleware::class);",
         (("role", ("RoleMiddleware",)),)),
    ],
)  # fmt: skip
def test_what_an_application_calls_middleware_is_told_with_its_classes(
    text: str, named: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    assert php(text).wiring.middleware == named


def test_migrations_change_tables_but_not_in_what_undoes_them_and_not_for_sqlite_alone() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Schema;
        return new class extends Migration {
            public function up(): void {
                Schema::create('songs', function (Blueprint $table) {
                    $table->unsignedInteger('album_id');
                    $table->foreign('album_id')->references('id')->on('albums');
                });
                Schema::table('songs', function (Blueprint $table) {
                    $table->foreignIdFor(User::class);
                    $table->dropColumn(['mtime', 'length']);
                    $table->renameColumn('public_id', 'id');
                    $table->primary('id');
                    $table->dropTimestamps();
                });
                Schema::rename('interactions', 'plays');
                Schema::dropIfExists('settings');
                if (DB::getDriverName() === 'sqlite') {
                    Schema::create('songs_new', fn (Blueprint $table) => $table->id());
                } else {
                    Schema::table('songs', fn (Blueprint $table) => $table->uuid('key'));
                }
            }
            public function down(): void {
                Schema::dropIfExists('songs');
            }
        };
    """)
    assert [
        (each.name, each.kind, each.symbol,
         [(c.name, c.type, c.is_key, c.references) for c in each.columns])
        for each in facts.entities
    ] == [
        ("songs", "table", "", [("album_id", "unsignedInteger", False, "albums.id")]),
        ("songs", "change", "", [
            ("user_id", "foreignIdFor", False, ""), ("mtime", "", False, ""),
            ("length", "", False, ""), ("public_id", "", False, "id"), ("id", "*", True, ""),
            ("created_at", "", False, ""), ("updated_at", "", False, ""),
        ]),
        ("interactions", "change", "plays", []),
        ("settings", "change", "", []),
        ("songs", "change", "", [("key", "uuid", False, "")]),
    ]  # fmt: skip


def test_methods_are_called_whatever_their_case_and_models_name_the_tables_they_refer_to() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Schema;
        Schema::create('slice_of_lives', function (Blueprint $table) {
            $table->ID();
            $table->datetime('begun_at');
            $table->foreignIdFor(Contact::class, 'loaner_id')->constrained();
            $table->nullableNumericMorphs('item');
        });
        class SliceOfLife extends \\Illuminate\\Database\\Eloquent\\Model {}
    """)
    model, made = facts.entities
    assert [(it.name, it.type, it.is_key, it.references) for it in made.columns] == [
        ("id", "id", True, ""), ("begun_at", "dateTime", False, ""),
        ("loaner_id", "foreignIdFor", False, "contacts"),
        ("item_type", "nullableNumericMorphs", False, ""),
        ("item_id", "nullableNumericMorphs", False, ""),
    ]  # fmt: skip
    assert (model.name, model.symbol) == ("slice_of_lives", "SliceOfLife")


def test_closures_of_groups_load_files_below_their_prefix_and_behind_their_middleware() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        class RouteServiceProvider {
            function boot() {
                Route::group(['middleware' => 'web'], function ($router) {
                    require base_path('routes/web/hardware.php');
                    Route::prefix('admin')->group(fn () => require __DIR__ . '/admin.php');
                });
                require base_path('routes/scim.php');
            }
        }
    """)
    assert [(it.child, it.prefix, it.guards) for it in facts.mounts] == [
        ("routes/web/hardware.php", "", ("web",)), ("./admin.php", "/admin", ("web",)),
        ("routes/scim.php", "", ()),
    ]  # fmt: skip


def test_the_prefix_of_an_api_is_what_the_application_says_even_if_that_is_nothing() -> None:
    routing = "Application::configure()->withRouting(api: base_path('routes/api.php'){});"
    prefixes = [
        mount.prefix
        for given in ("", ", apiPrefix: 'rest'", ", apiPrefix: ''")
        for mount in php(routing.format(given)).mounts
    ]
    assert prefixes == ["/api", "/rest", ""]


def test_options_of_a_resource_and_of_a_route_stand_in_arrays() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Route;
        Route::group(['namespace' => 'Auth'], function () {
            Route::resource('hardware', AssetsController::class, [
                'middleware' => ['auth'], 'only' => 'show',
                'parameters' => ['hardware' => 'asset_id'],
            ]);
            Route::resource('labels', LabelsController::class)->only('edit')
                ->parameters(['labels' => 'name']);
            Route::post('saml/acs', [
                'as' => 'saml.acs', 'middleware' => 'guest', 'uses' => 'SamlController@acs',
            ]);
            Route::get('saml', ['as' => 'saml', function () { return 1; }]);
        });
    """)
    assert [(it.path, it.handler, it.further) for it in facts.routes] == [
        ("/hardware/{asset_id}", "AssetsController.show", ("auth",)),
        ("/labels/{name}/edit", "LabelsController.edit", ()),
        ("/saml/acs", "Auth\\SamlController.acs", ("guest",)),
        ("/saml", "", ()),
    ]  # fmt: skip


def test_commands_are_classes_by_signature_or_name_and_closures() -> None:
    (signed,) = php("""\
        use Illuminate\\Console\\Command;
        class Fix extends Command {
            protected $signature = 'shop:fix {file} {--dry : Don\\'t write} {--id=*} {--size=3}
                {user?* : Who}';
            protected $description = 'Fixes what isn\\'t right';
        }
    """).commands
    assert (signed.words, signed.help) == (("shop:fix",), "Fixes what isn't right")
    assert [(it.names, it.help, it.default) for it in signed.options] == [
        (("file",), "", None), (("--dry",), "Don't write", None), (("--id",), "", None),
        (("--size",), "", "3"), (("user",), "Who", None),
    ]  # fmt: skip
    (named,) = php("""\
        use Illuminate\\Console\\Command;
        class Import extends Command {
            protected $name = 'shop:import';
            protected function getArguments() {
                return [['file', InputArgument::REQUIRED, 'What to read']];
            }
            protected function getOptions() {
                return [
                    ['kind', 'k', InputOption::VALUE_REQUIRED, 'Of what', 'Asset'],
                    ['update', null, InputOption::VALUE_NONE],
                    ['log', null, InputOption::VALUE_OPTIONAL, 'Where', storage_path('a.log')],
                ];
            }
        }
    """).commands
    assert (named.words, named.handler) == (("shop:import",), "Import")
    assert [(it.names, it.help, it.default, it.line) for it in named.options] == [
        (("file",), "What to read", None, 6), (("-k", "--kind"), "Of what", "Asset", 10),
        (("--update",), "", None, 11), (("--log",), "Where", None, 12),
    ]  # fmt: skip
    (closure,) = php("""\
        Artisan::command('shop:quote {--long}', function () {})->purpose('Shows a quote');
        Artisan::call('shop:import');
        $this->command('no', fn () => 1);
    """).commands
    assert (closure.words, closure.help, closure.line) == (("shop:quote",), "Shows a quote", 2)
    assert [it.names for it in closure.options] == [("--long",)]


def test_listeners_are_listed_registered_or_say_themselves_what_they_listen_to() -> None:
    def listeners(text: str) -> list[tuple[str, str]]:
        return [(it.trigger, it.handler) for it in php(text).jobs if it.kind == "event"]

    assert listeners("""\
        class Events extends ServiceProvider {
            protected $listen = [
                'Illuminate\\Auth\\Events\\Login' => [\\App\\Listeners\\Log::class, 'Till@open'],
                Paid::class => SendBill::class,
            ];
            public function boot() {
                Event::listen(Sent::class, [Mail::class, 'sent']);
                Event::listen(Left::class, function ($event) {});
            }
        }
    """) == [
        ("Login", "Log.handle"), ("Login", "Till.open"), ("Paid", "SendBill.handle"),
        ("Sent", "Mail.sent"), ("Left", "Events.boot"),
    ]  # fmt: skip
    assert listeners("""\
        namespace App\\Listeners;
        class Log {
            public function handle(Login|Logout $event) {}
            public function other(Login $event) {}
        }
    """) == [("Login", "Log.handle"), ("Logout", "Log.handle")]
    assert listeners("""\
        class Till {
            public function subscribe($events) {
                $events->listen(\\App\\Events\\Opened::class, 'App\\Till@opened');
            }
            public function onClosed(\\App\\Events\\Closed $event) {}
        }
        class Other { public function onClosed(Closed $event) {} }
    """) == [("Opened", "Till.opened")]
    assert listeners("""\
        class Till {
            public function subscribe($events) {
                $events->listen('till.opened', __CLASS__.'@onOpened', 5);
                $events->listen('till.closed', [$this, 'onClosed']);
                $events->listen('till.moved', $this->onMoved(...));
                $events->listen('till.sold', $handlers['sold']);
            }
            public function onOpened(Command $command) {}
            protected function handleAll(Command $command) {}
        }
        class Bills {
            public function subscribe($events) { return $this->all($events); }
            public function onPaid(Paid $event) {}
        }
    """) == [
        ("till.opened", "Till.onOpened"), ("till.closed", "Till.onClosed"),
        ("till.moved", "Till.onMoved"), ("Paid", "Bills.onPaid"),
    ]  # fmt: skip


def test_a_schedule_has_the_conditions_around_it() -> None:
    facts = php("""\
        class Kernel {
            function schedule($schedule) {
                if (Setting::get()?->alerts === 1) {
                    $schedule->command('shop:alert')->daily();
                } else {
                    $schedule->command('shop:rest')->daily();
                }
                if ($open) $schedule->command('shop:open')->cron('0 1 * * *');
                $schedule->command('shop:close')->daily();
            }
        }
    """)
    assert [(it.name, it.trigger) for it in facts.jobs] == [
        ("shop:alert", "daily, if Setting::get()?->alerts === 1"),
        ("shop:rest", "daily, unless Setting::get()?->alerts === 1"),
        ("shop:open", "0 1 * * *, if $open"), ("shop:close", "daily"),
    ]  # fmt: skip


def test_a_class_on_a_base_of_the_project_is_a_model_if_it_leads_to_others() -> None:
    facts = php("""\
        class Phone extends ShopModel {
            protected $fillable = ['bill_id'];
            public function till() { return $this->belongsTo(\\App\\Till::class, 'place'); }
            public function bill() { return $this->hasOne(Bill::class); }
            public function coin() { return $this->hasOne(Coin::class); }
        }
        class Other extends ShopModel {
            public function till() { return $this->till->hasMany(Phone::class); }
        }
        class Alone { public function till() { return $this->hasMany(Phone::class); } }
    """)
    (model,) = facts.entities
    assert (model.name, model.symbol) == ("phones", "Phone")
    assert [(it.name, it.references) for it in model.columns] == [
        ("place", "Till"), ("bill_id", "Bill"),
    ]  # fmt: skip


def test_loops_over_arrays_that_a_migration_writes_down_are_unrolled() -> None:
    facts = php("""\
        use Illuminate\\Support\\Facades\\Schema;
        return new class extends Migration {
            private array $tables = ['songs' => ['made', 'heard'], 'albums' => ['made']];
            public function up(): void {
                foreach ($this->tables as $name => $columns) {
                    foreach ($columns as $column) {
                        $zone = sprintf('%s_tz', $column);
                        Schema::table($name, function (Blueprint $table) use ($zone) {
                            $table->string($zone);
                        });
                    }
                }
                $own = ['users', 'groups'];
                foreach ($own as $name) {
                    Schema::create($name, function (Blueprint $table) {
                        foreach (['title', 'notes'] as $i => $text) {
                            $table->text($text);
                        }
                    });
                }
                foreach (DB::tables() as $unknown) {
                    Schema::drop($unknown);
                    Schema::drop('old');
                }
            }
        };
    """)
    columns = [
        (each.name, each.kind, [column.name for column in each.columns]) for each in facts.entities
    ]
    assert columns == [
        ("songs", "change", ["made_tz"]),
        ("songs", "change", ["heard_tz"]),
        ("albums", "change", ["made_tz"]),
        ("users", "table", ["title", "notes"]),
        ("groups", "table", ["title", "notes"]),
        ("old", "change", []),
    ]


@pytest.mark.parametrize(
    "head",
    [
        "use Illuminate\\Contracts\\Routing\\Registrar;\nclass A { function m(Registrar $router) {",
        "use Illuminate\\Routing\\Router;\nclass A { function m(Router $router) {",
        "/** @var \\Laravel\\Lumen\\Routing\\Router $router */\nif (true) {{",
    ],
)
def test_routes_are_put_on_a_router_that_is_given(head: str) -> None:
    facts = php(f"""{head}
        $router->group(['prefix' => 'api/v1', 'namespace' => 'Api'], function ($router) {{
            $router->group(['middleware' => ['auth.api']], function ($router) {{
                $router->get('users/{{id}}', 'UserController@show');
            }});
            $router->post('users', ['uses' => 'UserController@store', 'middleware' => 'guest']);
        }});
    }}}}""")
    assert [(it.method, it.path, it.handler, it.further) for it in facts.routes] == [
        ("GET", "/api/v1/users/{id}", "Api\\UserController.show", ("auth.api",)),
        ("POST", "/api/v1/users", "Api\\UserController.store", ("guest",)),
    ]
