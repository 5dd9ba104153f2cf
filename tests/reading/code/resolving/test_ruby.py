from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import edges, resolved


def test_what_is_required_lies_beside_or_in_a_lib_folder() -> None:
    assert edges({
        "lib/shop.rb": 'require "shop/order"\nrequire_relative "shop/line"',
        "lib/shop/order.rb": "module Shop; end",
        "lib/shop/line.rb": "",
        "test/order_test.rb": 'require "shop/order"',
    }) == {
        ("lib/shop.rb", "lib/shop/order.rb"), ("lib/shop.rb", "lib/shop/line.rb"),
        ("test/order_test.rb", "lib/shop/order.rb"),
    }  # fmt: skip


def test_a_constant_is_in_the_file_that_its_path_names_seen_from_where_it_stands() -> None:
    assert edges({
        "app/models/order.rb": "class Order\n  LIMIT = 1\nend",
        "app/models/shop/order.rb": "module Shop\n  class Order\n  end\nend",
        "app/models/html_page.rb": "class HTMLPage; end",
        "app/jobs/order_patch.rb": "class Order\n  def more; end\nend",
        "app/controllers/orders.rb": "class Orders\n  def x\n    Order::LIMIT\n  end\nend",
        "app/controllers/shop/orders.rb": (
            "module Shop\n  class Orders\n    def x\n      Order.new\n      HTMLPage\n"
            "      ::Order\n    end\n  end\nend"
        ),
    }) == {
        ("app/controllers/orders.rb", "app/models/order.rb"),
        ("app/controllers/shop/orders.rb", "app/models/shop/order.rb"),
        ("app/controllers/shop/orders.rb", "app/models/html_page.rb"),
        ("app/controllers/shop/orders.rb", "app/models/order.rb"),
    }  # fmt: skip


def test_a_module_that_is_opened_again_is_no_use_of_it() -> None:
    assert edges({
        "lib/shop.rb": "module Shop\n  def self.open; end\nend",
        "app/help.rb": "module Shop\n  module Help\n    def x; end\n  end\nend",
        "app/page.rb": "module Shop\n  module Page\n    def x; Shop.open; end\n  end\nend",
    }) == {("app/page.rb", "lib/shop.rb")}  # fmt: skip


def test_a_constant_whose_path_is_none_is_in_the_only_file_that_declares_it() -> None:
    assert edges({
        "a.rb": "Door.open; Gate.open",
        "doors.rb": "class Door; end",
        "one.rb": "class Gate; end",
        "two.rb": "class Gate; end",
    }) == {("a.rb", "doors.rb")}  # fmt: skip


def test_others_gems_are_outside_and_a_lost_file_is_unknown() -> None:
    assert resolved({
        "a.rb": 'require "json"\nrequire "rack/request"\nrequire_relative "lost"\nNobody',
    })["a.rb"] == {
        "json": Resolved(outside="json"),
        "rack/request": Resolved(outside="rack"),
        "lost": Resolved(),
        "Nobody": Resolved(is_settled=True),
    }  # fmt: skip
