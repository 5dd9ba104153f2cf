"""What decides in Laravel whether a request is answered."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

APPLICATION = """<?php
return Application::configure()
    ->withRouting(api: __DIR__ . '/../routes/api.php')
    ->withMiddleware(function (Middleware $middleware) {
        $middleware->api(append: [RestrictFeatures::class, CompressAnswers::class]);
        $middleware->alias([
            'audio.auth' => CheckAudio::class, 'embeds' => EnsureEmbeds::class,
            'slow' => CompressAnswers::class,
        ]);
    })->create();
"""
KERNEL = """<?php
namespace App\\Http;
class Kernel extends HttpKernel {
    protected $middlewareGroups = ['api' => [Middleware\\RestrictFeatures::class]];
    protected $routeMiddleware = [
        'audio.auth' => \\App\\Http\\Middleware\\CheckAudio::class,
        'embeds' => \\App\\Http\\Middleware\\EnsureEmbeds::class,
    ];
}
"""
ROUTES = """<?php
use App\\Http\\Controllers\\SongController;
use Illuminate\\Support\\Facades\\Route;
Route::middleware('audio.auth')->group(function () {
    Route::put('songs/{song}', [SongController::class, 'update'])
        ->middleware(['embeds', 'slow', 'throttle:10']);
});
"""
CONTROLLER = """<?php
namespace App\\Http\\Controllers;
use App\\Http\\Requests\\SongRequest;
use App\\Http\\Requests\\OpenRequest;
use App\\Models\\Song;
class SongController extends Controller {
    public function __construct() {
        $this->middleware('verified')->only('update');
        $this->middleware('can:list')->except('update');
        $this->middleware('auth', ['except' => ['update', 'login']]);
        $this->middleware('signed', ['only' => 'show']);
    }
    public function update(SongRequest $request, OpenRequest $other, Song $song) {
        $this->authorize('edit-text', $song);
    }
}
"""


def made(name: str, folder: str, body: str = "public function handle() { return 1; }") -> str:
    namespace = folder.title().replace("/", "\\")
    return f"<?php\nnamespace {namespace};\nclass {name} extends Base {{\n    {body}\n}}\n"


FILES = {
    "routes/api.php": ROUTES,
    "app/Http/Controllers/SongController.php": CONTROLLER,
    "app/Http/Requests/SongRequest.php": made(
        "SongRequest", "app/Http/Requests",
        "public function authorize(): bool\n    {\n        return License::isPaid();\n    }",
    ),
    "app/Http/Requests/OpenRequest.php": made(
        "OpenRequest", "app/Http/Requests",
        "public function authorize(): bool\n    {\n        return true;\n    }",
    ),
    "app/Models/Song.php": made("Song", "app/Models"),
    "app/Policies/SongPolicy.php": made(
        "SongPolicy", "app/Policies", "public function editText() { return 1; }"
    ),
    **{
        f"app/Http/Middleware/{name}.php": made(name, "app/Http/Middleware")
        for name in ("RestrictFeatures", "CompressAnswers", "CheckAudio", "EnsureEmbeds")
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text"), [("bootstrap/app.php", APPLICATION), ("app/Http/Kernel.php", KERNEL)]
)
def test_guards_are_middleware_by_what_it_stands_for_then_what_the_controller_asks(
    path: str, text: str
) -> None:
    provider = (
        "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::middleware('api')->prefix('api')->group(base_path('routes/api.php'));\n"
    )
    by_provider = {} if path == "bootstrap/app.php" else {"app/Providers/Routes.php": provider}
    (endpoint,) = endpoints(facts_of({**FILES, **by_provider, path: text}))
    middleware = "app/Http/Middleware"
    form = "SongRequest.authorize"
    policy = Spot("app/Policies/SongPolicy.php", "SongPolicy.editText")
    assert endpoint.route == "/api/songs/{song}"
    assert endpoint.guards == (
        Guard("RestrictFeatures", Spot(f"{middleware}/RestrictFeatures.php", "RestrictFeatures")),
        Guard("audio.auth", Spot(f"{middleware}/CheckAudio.php", "CheckAudio")),
        Guard("embeds", Spot(f"{middleware}/EnsureEmbeds.php", "EnsureEmbeds")),
        Guard("verified", None),
        Guard(form, Spot("app/Http/Requests/SongRequest.php", form)),
        Guard("authorize('edit-text', $song)", policy),
    )


def test_a_controller_of_a_resource_asks_the_policy_for_each_action() -> None:
    controller = (
        "<?php\nnamespace App\\Http\\Controllers;\nuse App\\Models\\Song;\n"
        "class SongController extends Controller {\n"
        "    public function __construct() {\n"
        "        $this->authorizeResource(Song::class, 'song');\n    }\n"
        "    public function show(Song $song) {\n        return $song;\n    }\n"
        "    public function lyrics(Song $song) {\n"
        "        $this->authorize('own', $this->songs->owner($song));\n    }\n}\n"
    )
    routes = (
        "<?php\nuse App\\Http\\Controllers\\SongController;\n"
        "use Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('/songs/{song}', [SongController::class, 'show']);\n"
        "Route::get('/songs/{song}/lyrics', [SongController::class, 'lyrics']);\n"
    )
    found = endpoints(
        facts_of({
            "routes/web.php": routes,
            "app/Http/Controllers/SongController.php": controller,
            "app/Policies/SongPolicy.php": made(
                "SongPolicy", "app/Policies", "public function view() { return 1; }"
            ),
        })
    )  # fmt: skip
    policy = Spot("app/Policies/SongPolicy.php", "SongPolicy.view")
    assert [(it.route, it.guards) for it in found] == [
        ("/songs/{song}", (Guard("authorize('view', Song)", policy),)),
        ("/songs/{song}/lyrics", (Guard("authorize('own')", None),)),
    ]  # fmt: skip


def test_an_ability_is_decided_where_a_gate_defines_it() -> None:
    facts = facts_of({
        "routes/api.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('tills', [TillController::class, 'index'])->middleware('can:see-tills,x');\n",
        "app/Providers/Auth.php": "<?php\nnamespace App\\Providers;\nclass Auth {\n"
        "    public function boot() {\n"
        "        Gate::define('see-tills', fn ($user) => $user->isOwner());\n    }\n}\n",
    })  # fmt: skip
    (endpoint,) = endpoints(facts)
    assert endpoint.guards == (
        Guard("can:see-tills,x", Spot("app/Providers/Auth.php", "Auth.boot")),
    )


def test_files_of_routes_are_below_all_that_load_them() -> None:
    route = "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
    facts = facts_of({
        "app/Http/Kernel.php": KERNEL,
        "app/Providers/Routes.php": route + "class Routes {\n  function map() {\n"
        "    Route::group(['prefix' => 'api', 'middleware' => 'api'], function () {\n"
        "      require base_path('routes/api.php');\n    });\n  }\n}\n",
        "routes/api.php": route + "Route::get('a', fn () => 1);\n"
        "Route::prefix('till')->middleware('embeds')->group(__DIR__ . '/till.php');\n",
        "routes/till.php": route + "Route::get('b', fn () => 1);\n",
        "other/routes/api.php": route + "Route::get('c', fn () => 1);\n",
    })  # fmt: skip
    assert [(it.route, [guard.name for guard in it.guards]) for it in endpoints(facts)] == [
        ("/api/a", ["RestrictFeatures"]),
        ("/api/till/b", ["RestrictFeatures", "embeds"]),
        ("/c", []),
    ]


def test_what_a_route_leaves_out_is_left_out_of_groups_and_of_what_loads_the_file() -> None:
    application = (
        "<?php\nreturn Application::configure()\n"
        "    ->withRouting(api: __DIR__ . '/../routes/api.php')\n"
        "    ->withMiddleware(function (Middleware $middleware) {\n"
        "        $middleware->group('api', [Trim::class, 'auth:api']);\n"
        "        $middleware->appendToGroup('full', [EnsureUser::class, Second::class]);\n"
        "    })->create();\n"
    )
    routes = (
        "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('a', [A::class, 'show'])->withoutMiddleware(['api']);\n"
        "Route::get('b', [A::class, 'all'])->middleware('full');\n"
        "Route::get('c', [A::class, 'one'])->middleware('full')\n"
        "    ->withoutMiddleware([Second::class, 'auth:api']);\n"
    )
    facts = facts_of({"bootstrap/app.php": application, "routes/api.php": routes})
    whole = Guard("full", None, members=("EnsureUser", "Second"))
    assert [(it.route, it.guards) for it in endpoints(facts)] == [
        ("/api/a", ()),
        ("/api/b", (Guard("auth:api", None), whole)),
        ("/api/c", (Guard("EnsureUser", None),)),
    ]


def test_a_route_that_is_registered_twice_with_one_handler_is_one() -> None:
    routes = (
        "<?php\nuse App\\Http\\Controllers\\SongController;\n"
        "use Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('a', [SongController::class, 'update']);\n"
        "Route::get('a', '\\App\\Http\\Controllers\\SongController@update');\n"
    )
    (endpoint,) = endpoints(facts_of({**FILES, "routes/api.php": routes}))
    assert (endpoint.methods, endpoint.route, endpoint.line) == (("GET",), "/a", 4)


def test_controllers_are_named_below_a_namespace_that_is_imported_or_by_the_end_of_theirs() -> None:
    def controller(name: str, space: str) -> str:
        return (
            f"<?php\nnamespace App\\Http\\Controllers{space};\nclass {name} {{\n"
            "    function index() {\n        $this->authorize('view', Lock::class);\n    }\n}\n"
        )

    api = controller("Till", "\\Api").replace(
        "    function index",
        "    function __construct() {\n        $this->middleware('signed')->only('own');\n    }\n"
        "    function index",
    )
    facts = facts_of({
        "routes/web.php": "<?php\nuse App\\Http\\Controllers\\Api;\n"
        "use App\\Http\\Controllers\\Till;\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('a', [\n    Api\\Till::class,\n    'index'\n]);\n"
        "Route::get('b', [Till::class, 'index']);\n"
        "Route::get('c', 'Auth\\Saml@index');\n"
        "Route::get('d', ['as' => 'd', 'uses' => 'Till@index']);\n"
        "Route::resource('e', Api\\Till::class)->only('index');\n"
        "Route::get('f', [Missing\\Till::class, 'index']);\n"
        "Route::get('g', [Api\\Till::class, 'INDEX']);\n"
        "Route::get('h', [Api\\Till::class, 'own']);\n",
        "app/Http/Controllers/Till.php": controller("Till", ""),
        "app/Http/Controllers/Api/Till.php": api,
        "app/Http/Controllers/Auth/Saml.php": controller("Saml", "\\Auth"),
    })  # fmt: skip
    asked = ["authorize('view', Lock::class)"]
    folder = "app/Http/Controllers"
    assert [
        (it.route, it.handler_path, [guard.name for guard in it.guards]) for it in endpoints(facts)
    ] == [
        ("/a", f"{folder}/Api/Till.php", asked), ("/b", f"{folder}/Till.php", asked),
        ("/c", f"{folder}/Auth/Saml.php", asked), ("/d", f"{folder}/Till.php", asked),
        ("/e", f"{folder}/Api/Till.php", asked), ("/f", "", []),
        ("/g", f"{folder}/Api/Till.php", asked), ("/h", "", ["signed"]),
    ]  # fmt: skip


def test_middleware_that_answers_some_requests_itself_is_a_guard_whatever_its_name() -> None:
    bodies = {
        "CheckActive": "return redirect()->guest('login');", "Locale": "return $next($r);",
        "Till": "abort_if($request->closed, 404);", "AuthenticateSession": "return $next($r);",
    }  # fmt: skip
    facts = facts_of({
        "app/Http/Kernel.php": "<?php\nclass Kernel extends HttpKernel {\n"
        "    protected $middlewareGroups = ['web' => ["
        + ", ".join(f"{name}::class" for name in bodies) + "]];\n}\n",
        "routes/web.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('a', fn () => 1)->middleware('web');\n",
        **{
            f"app/Http/Middleware/{name}.php": made(
                name, "App/Http/Middleware",
                f"public function handle($request, $next)\n    {{\n        {body}\n    }}",
            )
            for name, body in bodies.items()
        },
    })  # fmt: skip
    (endpoint,) = endpoints(facts)
    assert [guard.name for guard in endpoint.guards] == ["CheckActive", "Till"]


def test_what_an_action_asks_itself_or_by_methods_of_what_its_controller_builds_on_guards_it() -> (
    None
):
    base = """<?php
namespace App\\Http\\Controllers;
abstract class Controller {
    use ChecksTills;
    protected function checkPermission(string $name): void {
        if (!user()->can($name)) { $this->showError(); }
    }
    protected function showError(): never { throw new NotifyException('no', '/', 403); }
    protected function checkInput(): void { abort(422); }
}
"""
    trait = """<?php
namespace App\\Http\\Controllers;
trait ChecksTills {
    protected function ensureTill($till): void { abort_unless($till->isOpen(), 403); }
}
"""
    songs = """<?php
namespace App\\Http\\Controllers;
use App\\Http\\Requests\\StoreSong;
use App\\Models\\Song;
class SongController extends Controller implements HasMiddleware {
    public static function middleware(): array {
        return ['verified', new Middleware('signed', only: ['show']), new Middleware('slow')];
    }
    public function show(Song $song) {
        $this->checkPermission('song-view');
        $this->checkInput();
    }
    public function store(StoreSong $request) { $this->ensureTill($request->till); }
    public function update(Request $request, Song $song) {
        if ($request->user()->cannot('update', $song)) {
            abort(403);
        }
    }
    public function destroy(Song $song) {
        abort_unless(auth()->user()->is_admin, 403);
        $can = auth()->user()->can('delete', $song);
    }
}
"""
    store = made("StoreSong", "App/Http/Requests", "public function rules() { return []; }")
    store = store.replace("extends Base", "extends OwnRequest")
    own = "public function authorize()\n    {\n        return Auth::check();\n    }"
    facts = facts_of({
        "app/Http/Controllers/Controller.php": base,
        "app/Http/Controllers/ChecksTills.php": trait,
        "app/Http/Controllers/SongController.php": songs,
        "app/Http/Requests/StoreSong.php": store,
        "app/Http/Requests/OwnRequest.php": made("OwnRequest", "App/Http/Requests", own),
        "app/Policies/SongPolicy.php": made("SongPolicy", "App/Policies",
                                            "public function update() { return 1; }"),
        "routes/web.php": "<?php\nuse App\\Http\\Controllers\\SongController;\n"
        "use Illuminate\\Support\\Facades\\Route;\n"
        "Route::resource('songs', SongController::class)"
        "->only(['show', 'store', 'update', 'destroy']);\n",
    })  # fmt: skip
    guards = {
        it.methods[-1]: [(guard.name, guard.spot and guard.spot.name) for guard in it.guards]
        for it in endpoints(facts)
    }
    assert guards == {
        "DELETE": [("verified", None), ("abort_unless(auth()->user()->is_admin, 403)", None)],
        "GET": [
            ("verified", None), ("signed", None),
            ("checkPermission('song-view')", "Controller.checkPermission"),
        ],
        "POST": [
            ("verified", None), ("OwnRequest.authorize", "OwnRequest.authorize"),
            ("ensureTill($request->till)", "ChecksTills.ensureTill"),
        ],
        "PUT": [("verified", None), ("cannot('update', $song)", "SongPolicy.update")],
    }  # fmt: skip


def test_middleware_turns_away_by_methods_that_it_calls() -> None:
    body = (
        "public function handle($request, $next)\n    {\n        $this->look($request);\n    }\n"
        "    private function look($request)\n    {\n        auth()->authenticate();\n    }"
    )
    facts = facts_of({
        "app/Http/Kernel.php": "<?php\nclass Kernel extends HttpKernel {\n"
        "    protected $routeMiddleware = ['till' => Till::class];\n}\n",
        "app/Http/Middleware/Till.php": made("Till", "App/Http/Middleware", body),
        "routes/web.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('a', fn () => 1)->middleware('till');\n",
    })  # fmt: skip
    (endpoint,) = endpoints(facts)
    assert endpoint.guards == (Guard("till", Spot("app/Http/Middleware/Till.php", "Till")),)
