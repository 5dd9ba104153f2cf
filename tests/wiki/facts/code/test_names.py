import pytest

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.names import called, targets, users_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

FILES = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "class Cart:\n    def add(self): self.check()\n    def check(self): ...\n"
    "def total(): ...\n",
    "shop/one.py": "def same(): ...\n",
    "shop/main.py": "from shop import Cart, cart\nfrom shop.cart import total as sum_up\n"
    "import shop.one as one\nfrom shop.gone import lost\n\ndef main():\n    helper()\n\n"
    "def helper(): ...\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "end"),
    [
        (Call("helper", 7, caller="main"), Spot("shop/main.py", "helper")),
        (Call("sum_up", 7), Spot("shop/cart.py", "total")),
        (Call("Cart", 7), Spot("shop/cart.py", "Cart")),
        (Call("total", 7, "cart"), Spot("shop/cart.py", "total")),
        (Call("add", 7, "Cart"), Spot("shop/cart.py", "Cart.add")),
        (Call("same", 7, "one"), Spot("shop/one.py", "same")),
        (Call("lost", 7), None),
        (Call("print", 7), None),
        (Call("add", 7, "basket"), None),
        (Call("nothing", 7, "cart"), None),
        (Call("add", 7, "self", "main"), None),
    ],
)
def test_a_call_leads_where_its_name_comes_from_or_nowhere(call: Call, end: Spot | None) -> None:
    assert called(facts_of(FILES), "shop/main.py", call) == end


def test_a_method_calls_methods_of_its_own_class() -> None:
    call = Call("check", 2, "self", "Cart.add")
    assert called(facts_of(FILES), "shop/cart.py", call) == Spot("shop/cart.py", "Cart.check")


def test_files_that_use_a_name_are_counted_where_it_is_declared() -> None:
    facts = facts_of({**FILES, "tests/test_cart.py": "from shop.cart import Cart\n"})
    assert users_of(facts, "shop/cart.py") == {"Cart": 2, "total": 1}


def test_an_import_of_a_type_in_a_file_of_its_name_is_a_use_of_the_type() -> None:
    facts = facts_of({
        "src/main/java/shop/Cart.java": "package shop;\npublic class Cart {}\n",
        "src/main/java/till/Till.java": "package till;\nimport shop.Cart;\n\n"
        "public class Till { Cart cart; }\n",
    })  # fmt: skip
    assert users_of(facts, "src/main/java/shop/Cart.java") == {"Cart": 1}


def test_rust_is_followed_by_written_paths_derived_defaults_and_fields_of_one_name() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\nversion = "1.0.0"\n',
        "src/lib.rs": "mod run;\nmod order;\npub use crate::run::run;\n",
        "src/main.rs": "fn main() {\n  till::run();\n}\n",
        "src/run.rs": "use crate::order::Order;\n\npub fn run() {\n"
        "  load().and_then(|order| order.kind.pay());\n  Order::default().close();\n}\n",
        "src/order.rs": "#[derive(Default)]\npub struct Order {\n  pub kind: Kind,\n}\n"
        "impl Order {\n  pub fn close(&self) {}\n}\n"
        "pub struct Kind;\nimpl Kind {\n  pub fn pay(&self) {}\n}\n",
    })  # fmt: skip
    ends = {
        call.name: [end.name for end in targets(facts, path, call)]
        for path in ("src/main.rs", "src/run.rs")
        for call in facts.code[path].calls
    }
    assert (ends["run"], ends["pay"], ends["close"]) == (["run"], ["Kind.pay"], ["Order.close"])


def test_what_sets_a_property_is_no_method_of_its_own() -> None:
    facts = facts_of({
        "a.py": "class Till:\n    @property\n    def coin(self):\n        return 1\n\n"
        "    @coin.setter\n    def coin(self, value):\n        self.a = 1\n        self.b = 1\n",
        "a.ts": "class Till {\n  get coin() {\n    return 1;\n  }\n  set coin(value) {\n"
        "    this.a = value;\n  }\n}\n",
    })  # fmt: skip
    lines = [[it.line for _, it in methods_of(facts, path, "Till")] for path in ("a.py", "a.ts")]
    assert lines == [[3], [2]]


def test_private_members_properties_and_exported_classes_are_followed() -> None:
    facts = facts_of({
        "src/box.js": "module.exports = class Box extends Base {\n  open() {}\n}\n",
        "src/till.js": "const Box = require('./box')\n\nclass Till {\n  #box = new Box()\n\n"
        "  close() {\n    this.#box.open()\n    this.#count()\n  }\n\n  #count() {}\n}\n",
        "shop/till.py": "class Box:\n    def open(self):\n        return 1\n\nclass Till:\n"
        "    @property\n    def box(self) -> Box:\n        return Box()\n\n"
        "    def close(self):\n        self.box.open()\n",
    })  # fmt: skip

    def ends(path: str) -> list[tuple[str, str]]:
        calls = (call for call in facts.code[path].calls if call.caller == "Till.close")
        return [(spot.path, spot.name) for call in calls for spot in targets(facts, path, call)]

    assert ends("src/till.js") == [("src/box.js", "Box.open"), ("src/till.js", "Till.#count")]
    assert ends("shop/till.py") == [("shop/till.py", "Box.open")]


def test_an_object_of_ruby_is_made_by_its_initializer_also_in_a_script_without_an_ending() -> None:
    facts = facts_of({
        "bin/sell": ("100755", "#!/usr/bin/env ruby\nrequire 'shop/till'\n\n"
                     "till = Shop::Till.new ARGV\ntill.run\nShop.close till\n"),
        "lib/shop/till.rb": "module Shop\n  class Till\n    def initialize(args)\n      @a = args\n"
        "    end\n\n    def run\n      1\n    end\n  end\nend\n",
        "lib/shop.rb": "module Shop\n  def self.close(till); end\nend\n",
        "lib/shop/more.rb": "module Shop\n  class Till\n    def other; end\n  end\nend\n",
    })  # fmt: skip
    found = [spot.name for call in facts.code["bin/sell"].calls
             for spot in targets(facts, "bin/sell", call)]  # fmt: skip
    assert found == ["Shop.Till.initialize", "Shop.Till.run", "Shop.close"]


def test_a_class_of_php_is_called_by_its_whole_name_in_a_script_without_a_namespace() -> None:
    facts = facts_of({
        "composer.json": '{"name": "shop/till", "autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
        "bin/till": ("100755", "#!/usr/bin/env php\n<?php\n\nShop\\Till::run(1);\n"),
        "src/Till.php": "<?php\nnamespace Shop;\nclass Till {\n"
        "  public static function run($a) {\n    return 1;\n  }\n}\n",
    })  # fmt: skip
    (call,) = facts.code["bin/till"].calls
    assert targets(facts, "bin/till", call) == (Spot("src/Till.php", "Till.run"),)


def test_a_file_that_imports_a_type_within_another_uses_both_and_calls_the_inner_one() -> None:
    facts = facts_of({
        "src/main/java/shop/Till.java": "package shop;\npublic class Till {\n"
        "  public static class Coin {\n    public Coin() {\n    }\n  }\n"
        "  public Till() {\n  }\n}\n",
        "src/main/java/shop/pay/Pay.java": "package shop.pay;\nimport shop.Till.Coin;\n"
        "public class Pay {\n  void run() { new Coin(); }\n}\n",
        "src/main/java/shop/pay/Open.java": "package shop.pay;\nimport shop.Till;\n"
        "public class Open {\n  Till till;\n}\n",
    })  # fmt: skip
    assert users_of(facts, "src/main/java/shop/Till.java") == {"Till": 2, "Till.Coin": 1}
    assert called(facts, "src/main/java/shop/pay/Pay.java", Call("Coin", 4)) == Spot(
        "src/main/java/shop/Till.java", "Till.Coin"
    )


BASE_OF_SERVICES = """<?php
namespace Shop;
class Service {
  public static function GetInstance() {
    $name = get_called_class();
    return self::$all[$name] ??= new $name();
  }
  public static function query() { return new static(); }
  public function ordered() { $this->isOrdered = true; return $this; }
}
"""


@pytest.mark.parametrize(
    ("files", "name", "of", "end"),
    [
        ({"Service.php": BASE_OF_SERVICES,
          "Stock.php": "<?php\nnamespace Shop;\n"
          "class Stock extends Service {\n  function take() {}\n}\n",
          "Api.php": "<?php\nnamespace Shop;\nclass Api {\n"
          f"  function post() {{ {made}->take(); }}\n}}\n"},
         "take", of, Spot("Stock.php", "Stock.take"))
        for made, of in (
            ("Stock::GetInstance()", "Stock::GetInstance()"),
            ("$stock = Stock::GetInstance(); $stock", "stock"),
            ("Stock::query()->ordered()", "Stock::query()->ordered()"),
        )
    ] + [
        ({"clock.rb": "class Clock\n  include Singleton\n  def tick\n    1\n  end\nend\n"
          "class App\n  def go\n    clock = Clock.instance\n    clock.tick\n"
          "    Clock.instance.tick\n  end\nend\n"},
         "tick", of, Spot("clock.rb", "Clock.tick"))
        for of in ("clock", "Clock.instance")
    ] + [
        ({"pool.py": "class Pool:\n    @classmethod\n    def make(cls):\n        return cls()\n"
          "    def opened(self):\n        return self\n"
          "class Own(Pool):\n    def go(self): pass\n"
          "def main():\n    Own.make().opened().go()\n"},
         "go", "Own.make().opened()", Spot("pool.py", "Own.go")),
        ({"pool.ts": "export class Pool {\n  static one\n  static getInstance() {\n"
          "    Pool.one ??= new Pool()\n    return Pool.one\n  }\n  run() {}\n}\n"
          "export function main() { Pool.getInstance().run() }\n"},
         "run", "Pool.getInstance()", Spot("pool.ts", "Pool.run")),
        ({"Pool.kt": "class Pool {\n  fun run() {}\n  companion object {\n"
          "    fun getInstance() = kept ?: Pool()\n  }\n}\nfun main() {\n"
          "  Pool.getInstance().run()\n}\n"},
         "run", "Pool.getInstance()", Spot("Pool.kt", "Pool.run")),
    ],
)  # fmt: skip
def test_what_a_class_is_asked_for_its_instance_is_of_the_class_that_is_asked(
    files: dict[str, str], name: str, of: str, end: Spot
) -> None:
    facts = facts_of(files)
    calls = [(path, it) for path, code in facts.code.items() for it in code.calls]
    ((path, call),) = [it for it in calls if (it[1].name, it[1].of) == (name, of)]
    assert targets(facts, path, call) == (end,)


def test_a_call_on_a_class_of_ruby_is_its_own_method_where_its_objects_have_one_of_the_name() -> (
    None
):
    text = (
        "class Till\n  def sum(day)\n    Till.sum(day)\n  end\n\n"
        "  def self.sum(day)\n    day + 1\n  end\nend\n"
    )
    facts = facts_of(
        {"till.rb": text, "shop.rb": "class Shop\n  def go\n    Till.sum(1)\n  end\nend\n"}
    )
    (end,) = targets(facts, "shop.rb", Call("sum", 3, "Till", "Shop.go"))
    symbol = symbol_of(facts, *end)
    assert (symbol and symbol.signature) == "def self.sum(day)"
    assert targets(facts, "till.rb", Call("sum", 7, "", "Till.sum")) == ()
