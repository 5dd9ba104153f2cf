"""Classes and methods of PHP that calls name by texts."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

FILES = {
    "app/Till.php": "<?php\nnamespace Shop\\Controller;\n\nclass TillController\n{\n"
    "    public function show() {}\n    public function open() {}\n"
    "    public function close() {}\n    public function free() {}\n}\n",
    "app/Sales.php": "<?php\nnamespace Shop\\Api;\n\nclass Sales\n{\n"
    "    public function __construct($shop) {}\n    public function sell($what) {}\n"
    "    protected function count() {}\n}\n",
    "app/Routes.php": """<?php
class Routes
{
    public function add($route)
    {
        if (NICE) {
            $route->put('till', 'TillController', 'show');
            $route->put('till/:id/open', 'TillController', 'open');
            $route->put('till/:id/close', 'TillController', 'close');
            $route->put('till/free', 'TillController', 'free');
            $route->put('far', 'FarController', 'show');
        }
        $texts->translate('yes', 'Yes', 'ja');
    }

    public function rights($acl)
    {
        $acl->usualDefault(Role::USER);
        $acl->needs('TillController', array('open', 'close'), Role::SELLER);
        $acl->needs('TillController', 'close', Role::OWNER);
        $acl->needs('TillController', ['free'], Role::APP_PUBLIC);
        $acl->needs('Sales', '*', Role::OWNER);
    }
}
""",
}


def test_routes_of_a_path_a_class_and_a_method_have_the_rights_that_are_told_by_name() -> None:
    facts = facts_of(FILES)
    found = [
        (it.route, it.handler_path, [guard.name for guard in it.guards], it.is_public, it.condition)
        for it in endpoints(facts)
    ]
    assert found == [
        ("/till", "app/Till.php", [], False, "if (NICE)"),
        ("/till/:id/close", "app/Till.php", ["Role::SELLER", "Role::OWNER"], False, "if (NICE)"),
        ("/till/:id/open", "app/Till.php", ["Role::SELLER"], False, "if (NICE)"),
        ("/till/free", "app/Till.php", [], True, "if (NICE)"),
    ]


def test_calls_that_lead_to_nothing_of_the_project_are_no_routes() -> None:
    few = FILES | {"app/Till.php": "<?php\nclass Other {}\n"}
    assert endpoints(facts_of(few)) == ()
