"""What answers a route."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_methods_of_one_name_that_answer_different_methods_of_requests_are_their_own_handlers() -> (
    None
):
    code = (
        '[Route("account")]\npublic class AccountController : Controller\n{\n'
        '    [HttpGet("login")]\n    public IActionResult Login()\n    {\n'
        "        return View();\n    }\n\n"
        '    [HttpPost("login")]\n    public IActionResult Login(LoginModel model)\n    {\n'
        "        return Redirect(model.Url);\n    }\n}\n"
    )
    facts = facts_of({"Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"/>', "Account.cs": code})
    assert [(it.methods, it.handler_line) for it in endpoints(facts)] == [
        (("GET",), 5), (("POST",), 11),
    ]  # fmt: skip
