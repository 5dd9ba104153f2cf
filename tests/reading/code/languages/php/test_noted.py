"""Types of PHP that comments declare, where the code declares none."""

from stationmaster.reading.code.model import Call, Typed
from stationmaster.reading.code.reading import read
from stationmaster.wiki.facts.code.names import targets
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

BASE = b"""<?php
namespace Shop\\Core;

/**
 * What all have.
 *
 * @property-read \\Shop\\Model\\Cart $cart
 * @property string $name
 */
abstract class Base
{
    /**
     * @var \\Shop\\Model\\Till|null
     */
    protected $till;

    /** @var Wrong */
    private Right $own;

    /**
     * Open it.
     *
     * @return Till
     */
    public function open($a)
    {
    }

    /**
     * @return static
     */
    public function again()
    {
    }
}
"""


def test_comments_type_properties_and_results_that_the_code_leaves_open() -> None:
    assert read("PHP", BASE).typed == (
        Typed("cart", "Shop.Model.Cart", "Base"),
        Typed("own", "Right", "Base"),
        Typed("till", "Shop.Model.Till", "Base"),
        Typed("", "static", "Base.again"),
        Typed("", "Till", "Base.open"),
    )


def test_a_call_on_a_property_that_a_comment_above_the_base_class_types_is_followed() -> None:
    facts = facts_of({
        "app/Core/Base.php": BASE,
        "app/Model/Cart.php": "<?php\nnamespace Shop\\Model;\nclass Cart\n{\n"
        "    public function pay()\n    {\n    }\n}\n",
        "app/Page.php": "<?php\nnamespace Shop;\n\nuse Shop\\Core\\Base;\n\n"
        "class Page extends Base\n{\n"
        "    public function show()\n    {\n        $this->cart->pay();\n    }\n}\n",
        "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "app/"}}}',
    })  # fmt: skip
    (call,) = (it for it in facts.code["app/Page.php"].calls if it.name == "pay")
    assert isinstance(call, Call)
    assert targets(facts, "app/Page.php", call) == (Spot("app/Model/Cart.php", "Cart.pay"),)
