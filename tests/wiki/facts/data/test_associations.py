"""Records of Rails that are looked up by an association, and what is done with them."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.data.associations import associated
from stationmaster.wiki.facts.model import Facts, Spot
from tests.wiki.commits import facts_of

CONTROLLER = "app/controllers/orders_controller.rb"
FILES = {
    "app/models/concerns/logged.rb": "module Logged\n  included do\n    after_save :log\n  end\n\n"
    "  def log\n    4\n  end\nend\n",
    "app/models/order.rb": "class Order < ApplicationRecord\n  include Logged\n"
    "  before_create :number\n"
    "  after_save :print\n\n  def number\n    1\n  end\n\n  def print\n    2\n  end\n\n"
    "  def ship!\n    3\n  end\nend\n",
    "app/models/user.rb": "class User < ApplicationRecord\n"
    "  has_many :orders, -> { order(:id) },\n    dependent: :destroy\n"
    "  has_many :gifts,\n    class_name: 'Order'\n  has_many :notes, source: :remark\nend\n",
    CONTROLLER: "class OrdersController < ApplicationController\n  before_action :load\n\n"
    "  def ship\n    @order.ship!\n    @order.save!\n  end\n\n"
    "  def create\n    order = current_user.orders.build\n    order.save!\n  end\n\n"
    "  def load\n    @order = current_user.orders.find(params[:id])\n  end\nend\n",
}


def done(facts: Facts, name: str) -> list[tuple[str, str, list[str]]]:
    steps = station_of(facts, Spot(CONTROLLER, f"OrdersController.{name}")).steps
    return [(it.does, it.end.name, [handler.name for handler in it.handlers]) for it in steps]


def test_associations_lead_to_the_class_that_they_name_or_are_called_after() -> None:
    of = associated(facts_of(FILES))
    assert {name: spot.name for name, spot in of.items()} == {"orders": "Order", "gifts": "Order"}


def test_a_field_that_is_looked_up_by_an_association_is_a_record_of_its_class() -> None:
    assert ("", "Order.ship!", []) in done(facts_of(FILES), "ship")


def test_a_record_that_is_looked_up_is_not_created_when_it_is_saved() -> None:
    facts = facts_of(FILES)
    assert ("saves", "Order", ["Logged.log", "Order.print"]) in done(facts, "ship")
    assert ("saves", "Order", ["Logged.log", "Order.number", "Order.print"]) in done(
        facts, "create"
    )


def test_a_record_that_is_made_is_not_updated_and_says_when_which_callback_runs() -> None:
    model = "class Order < ApplicationRecord\n"
    model += "  after_commit -> { PrintJob.perform_later(id) unless is_quiet }, on: :create\n"
    model += "  after_commit -> { ClearJob.perform_later(id) }, on: :destroy\n"
    model += "  after_update :tell\n  before_save :start, if: :is_started?\n\n"
    model += "  def tell\n    1\n  end\n\n  def start\n    2\n  end\nend\n"
    job = "class {} < ApplicationJob\n  def perform(id)\n    3\n  end\nend\n"
    facts = facts_of({
        **FILES,
        "app/models/order.rb": model,
        "app/jobs/print_job.rb": job.format("PrintJob"),
        "app/jobs/clear_job.rb": job.format("ClearJob"),
    })  # fmt: skip
    (step,) = station_of(facts, Spot(CONTROLLER, "OrdersController.create")).steps
    assert [it.name for it in step.handlers] == ["PrintJob.perform", "Order.start"]
    assert [condition for _, condition in step.asked] == ["unless is_quiet", "if: :is_started?"]
