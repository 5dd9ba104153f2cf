"""Policies of .NET, and what middleware of PHP decides."""

from __future__ import annotations

from stationmaster.wiki.facts.guarding.guards import demanded
from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_a_policy_of_net_that_a_constant_names_is_told_with_what_it_demands() -> None:
    facts = facts_of({
        "Tills.cs": "using Microsoft.AspNetCore.Mvc;\n[Authorize(Policy = Policies.Seller)]\n"
        "[Route(\"tills\")]\npublic class TillsController : ControllerBase\n{\n"
        '    [HttpGet("a"), Authorize]\n    public int All() => 1;\n'
        '    [HttpGet("b"), Authorize(Policy = Policies.Keeper)]\n    public int One() => 1;\n}\n',
        "Start.cs": "class Start\n{\n    void Add(Options o)\n    {\n"
        "        o.AddPolicy(\n            Policies.Keeper,\n            policy => policy\n"
        '                .RequireRole("keeper")\n                .Build());\n'
        "        o.AddPolicy(Policies.Seller, new SellerRequirement(1, 2));\n    }\n}\n",
    })  # fmt: skip
    assert [
        [(it.name, demanded(facts, it)) for it in each.guards] for each in endpoints(facts)
    ] == [
        [("Authorize(Policies.Seller)", "new SellerRequirement(1, 2)")],
        [
            ("Authorize(Policies.Seller)", "new SellerRequirement(1, 2)"),
            ("Authorize(Policies.Keeper)", 'RequireRole("keeper").Build()'),
        ],
    ]


def test_middleware_that_hands_all_requests_on_is_no_guard_whatever_its_name() -> None:
    logs = "public function handle($request, $next) { Log::key($request); return $next($request); }"
    refuses = (
        "public function handle($request, $next) {\n"
        "if ($request->key) { return $next($request); }\nthrow new KeyMissing();\n}"
    )
    facts = facts_of({
        "routes/web.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('/till', 'Tills@show')->middleware([TrackApiKey::class, ApiKey::class]);\n",
        "app/TrackApiKey.php": f"<?php\nclass TrackApiKey {{\n{logs}\n}}\n",
        "app/ApiKey.php": f"<?php\nclass ApiKey {{\n{refuses}\n}}\n",
    })  # fmt: skip
    assert [guard.name for it in endpoints(facts) for guard in it.guards] == ["ApiKey"]


def test_a_group_leaves_middleware_out_and_a_route_shows_all_of_many_guards() -> None:
    facts = facts_of({
        "routes/web.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::middleware(['auth', 'role:a', 'role:b', 'role:c', 'role:d', 'role:e'])\n"
        "    ->group(function () {\n"
        "    Route::middleware(['role:f', 'verified'])->group(function () {\n"
        "        Route::get('/many', 'Tills@many');\n    });\n"
        "    Route::withoutMiddleware(['auth', 'role:a'])->group(function () {\n"
        "        Route::get('/few', 'Tills@few')->can('view', 'till');\n    });\n});\n",
    })  # fmt: skip
    roles = [f"role:{it}" for it in "abcdef"]
    assert {it.route: [guard.name for guard in it.guards] for it in endpoints(facts)} == {
        "/many": ["auth", *roles, "verified"],
        "/few": [*roles[1:5], "can:view,till"],
    }


def test_what_symfony_denies_access_for_guards_an_action() -> None:
    facts = facts_of({
        "src/Tills.php": "<?php\nnamespace App;\n"
        "use Symfony\\Component\\Routing\\Attribute\\Route;\nclass Tills\n{\n"
        "    #[Route('/till', methods: ['GET'])]\n    public function show($till)\n    {\n"
        "        $this->denyAccessUnlessGranted(TillVoter::VIEW, $till);\n    }\n}\n",
    })  # fmt: skip
    assert [guard.name for it in endpoints(facts) for guard in it.guards] == [
        "denyAccessUnlessGranted(TillVoter::VIEW, $till)"
    ]


def test_a_route_of_laravel_goes_through_what_is_no_known_guard() -> None:
    facts = facts_of({
        "routes/api.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
        "Route::middleware(['auth:sanctum', 'shop', 'web'])->group(function () {\n"
        "    Route::get('/till', 'Tills@show')->middleware('throttle:10,2');\n"
        "    Route::get('/free', 'Tills@free')->withoutMiddleware('shop');\n});\n",
    })  # fmt: skip
    assert {it.route: ([guard.name for guard in it.guards], it.through)
            for it in endpoints(facts)} == {
        "/till": (["auth:sanctum"], ("shop", "throttle:10,2")), "/free": (["auth:sanctum"], ()),
    }  # fmt: skip


def test_an_ability_in_words_is_answered_by_the_method_of_the_policy_that_defines_it() -> None:
    facts = facts_of({
        "routes/web.php": "<?php\nuse App\\Http\\Controllers\\TillController;\n"
        "use Illuminate\\Support\\Facades\\Route;\n"
        "Route::get('/till', [TillController::class, 'show']);\n",
        "app/Http/Controllers/TillController.php": "<?php\nnamespace App\\Http\\Controllers;\n"
        "class TillController extends Controller {\n    public function show(Till $till) {\n"
        "        $this->authorize('open a till', $till);\n"
        "        $this->denyAccessUnlessGranted(Till::OPEN, $till, 'It is shut.');\n    }\n}\n",
        "app/Policies/DrawerPolicy.php": "<?php\nnamespace App\\Policies;\nclass DrawerPolicy {\n"
        "    public function open($user, $till) { return $user->isOwner(); }\n}\n",
        "app/Providers/AuthServiceProvider.php": "<?php\nnamespace App\\Providers;\n"
        "use App\\Policies\\DrawerPolicy;\nuse Illuminate\\Support\\Facades\\Gate;\n"
        "class AuthServiceProvider {\n    public function boot() {\n"
        "        Gate::define('open a till', [DrawerPolicy::class, 'open']);\n    }\n}\n",
    })  # fmt: skip
    assert [
        (guard.name, guard.spot and guard.spot.name)
        for it in endpoints(facts)
        for guard in it.guards
    ] == [
        ("authorize('open a till', $till)", "DrawerPolicy.open"),
        ("denyAccessUnlessGranted(Till::OPEN, $till, 'It is shut.')", None),
    ]
