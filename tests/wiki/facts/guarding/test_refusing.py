"""Handlers of PHP that answer by themselves that a request is refused."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

CONTROLLER = """<?php
namespace App\\Http\\Controllers;

class TillController extends Controller
{
    public function over(Request $request)
    {
        if ((! $request->user()) || (! $request->user()->isOwner())) {
            return response()->json([
                'success' => false,
                'message' => 'You may not do this.'
            ], 401);
        }

        return response()->json(['success' => true]);
    }

    public function short(Request $request)
    {
        if (! $request->user()->isOwner()) abort(403);
        if (
            $request->user()->left
        ) {
            throw new AuthorizationException('left');
        }
        return Till::all();
    }

    public function late(Link $link)
    {
        $till = Till::find($link->till);

        if (! $link->isOld()) {
            if ($till) {
                return $till->view();
            }

            return view('till')->with([
                'till' => $till,
            ]);
        }

        abort(403, 'Too old.');
    }

    public function asked(Request $request, Till $till)
    {
        if ($request->user()->cannot('update', $till)) {
            abort(403);
        }
    }

    public function open(Request $request)
    {
        foreach ($request->tills as $till) {
            if ($till->closed) {
                abort(403);
            }
        }
        if ($request->name) {
            $this->log(403, 'named');
        }
        if ($request->old) {
            return response()->json(['old' => true], 404);
        }
    }
}
"""


def test_an_action_of_php_that_refuses_by_itself_is_guarded_by_its_conditions() -> None:
    names = ("over", "short", "late", "asked", "open")
    routes = "".join(f"Route::get('/{it}', [TillController::class, '{it}']);\n" for it in names)
    facts = facts_of({
        "app/Http/Controllers/TillController.php": CONTROLLER,
        "routes/web.php": "<?php\nuse App\\Http\\Controllers\\TillController;\n"
        f"use Illuminate\\Support\\Facades\\Route;\n{routes}",
    })  # fmt: skip
    assert {it.route: [guard.words for guard in it.guards] for it in endpoints(facts)} == {
        "/over": ["refuses with 401 if (! $request->user()) || (! $request->user()->isOwner())"],
        "/short": [
            "refuses with 403 if ! $request->user()->isOwner()",
            "refuses with AuthorizationException if $request->user()->left",
        ],
        "/late": ["refuses with 403 if $link->isOld()"],
        "/asked": ["cannot('update', $till)"],
        "/open": [],
    }
