"""What decides whether a request reaches its handler."""

from __future__ import annotations

from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.interfaces.guards import Guard
from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_a_controller_of_net_has_the_guard_of_its_base_and_a_policy_is_where_it_is_made() -> None:
    facts = facts_of({
        "Base.cs": "using Microsoft.AspNetCore.Mvc;\n[Authorize]\n[Route(\"api/[controller]\")]\n"
        "public class Base : ControllerBase { }\n",
        "Tills.cs": "using Microsoft.AspNetCore.Mvc;\npublic class TillsController : Base\n{\n"
        '    [HttpGet("a")]\n    public int All() => 1;\n'
        '    [HttpGet("b"), AllowAnonymous]\n    public int Any() => 1;\n'
        '    [HttpGet("c"), Authorize("Admin")]\n    public int Own() => 1;\n'
        '    [HttpGet("d"), Authorize(Policy = "Elsewhere")]\n    public int Far() => 1;\n}\n',
        "Start.cs": "class Start\n{\n    void Add(Services services)\n    {\n"
        '        services.AddAuthorization(o => o.AddPolicy("Admin", p => p.RequireRole("x")));\n'
        "    }\n}\n",
    })  # fmt: skip
    assert [each.guards for each in endpoints(facts)] == [
        (Guard("Authorize", Spot("Base.cs", "Base")),), (),
        (Guard("Authorize(Admin)", Spot("Start.cs", "Start.Add")),),
        (Guard("Authorize(Elsewhere)", None),),
    ]  # fmt: skip
