"""What answers routes of Rails."""

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_a_route_of_rails_is_listed_where_its_controller_may_answer_it() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n  resources :orders\n"
        "  resources :tills, only: :index\n  resources :elsewhere, only: :index\nend\n",
        "app/controllers/application_controller.rb": "class ApplicationController"
        " < ActionController::Base\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < ApplicationController\n"
        "  include Closing\n  alias_method :edit, :index\n\n  def index\n    1\n  end\nend\n",
        "app/controllers/concerns/closing.rb": "module Closing\n  def destroy\n    1\n  end\nend\n",
        "app/views/orders/new.html.erb": "<p>New</p>\n",
        "app/controllers/tills_controller.rb": "class TillsController < Gem::Controller\nend\n",
    })  # fmt: skip
    assert [(*it.methods, it.route) for it in endpoints(facts)] == [
        ("GET", "/elsewhere"), ("GET", "/orders"), ("DELETE", "/orders/:id"),
        ("GET", "/orders/:id/edit"), ("GET", "/orders/new"), ("GET", "/tills"),
    ]  # fmt: skip
