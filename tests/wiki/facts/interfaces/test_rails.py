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


DEVISE = {
    "config/routes.rb": "Rails.application.routes.draw do\n"
    '  devise_for :users, controllers: { registrations: "users/registrations" }\n'
    "  resources :orders, only: :index\nend\n",
    "config/initializers/devise.rb": "Devise.setup do |config|\n"
    '  config.omniauth_path_prefix = "/auth"\nend\n',
    "app/models/user.rb": "class User < ApplicationRecord\n  devise :registerable, :omniauthable,\n"
    "    *(:confirmable if ENV['CONFIRM'] == 'yes')\nend\n",
    "app/controllers/users/registrations_controller.rb": "module Users\n"
    "  class RegistrationsController < Devise::RegistrationsController\n"
    "    before_action :check_invitation, if: :devise_controller?\n  end\nend\n",
    "app/controllers/orders_controller.rb": "class OrdersController < ActionController::Base\n"
    "  before_action :authorize_devise, if: :devise_controller?\n"
    "  before_action :authenticate_user!, unless: :devise_controller?\n\n"
    "  def index\n    1\n  end\nend\n",
}


def test_routes_of_devise_have_its_guards_conditions_and_prefix_and_the_class_of_the_project() -> (
    None
):
    made = {(*it.methods, it.route): it for it in endpoints(facts_of(DEVISE))}
    assert ("GET", "POST", "/auth/:provider") in made
    assert made["GET", "/users/confirmation"].condition == "if ENV['CONFIRM'] == 'yes'"
    edit = made["GET", "/users/edit"]
    assert edit.handler_path == "app/controllers/users/registrations_controller.rb"
    assert [guard.name for guard in edit.guards] == ["authenticate_scope!"]
    assert made["GET", "/users/sign_up"].guards == ()
    assert ("PATCH", "PUT", "/users") in made


def test_sessions_of_devise_are_also_those_of_an_extension_in_several_statements() -> None:
    model = "class User < ApplicationRecord\n  devise :two_factor_authenticatable, :registerable\n"
    model += "  def a\n    1\n  end\n" * 5 + "  devise :omniauthable\nend\n"
    made = {it.route for it in endpoints(facts_of({**DEVISE, "app/models/user.rb": model}))}
    assert {"/users/sign_in", "/users/sign_up", "/auth/:provider"} <= made
    assert "/users/confirmation" not in made


def test_filters_for_controllers_of_devise_run_only_there() -> None:
    made = {it.route: it for it in endpoints(facts_of(DEVISE))}
    assert [(it.name, it.condition) for it in made["/orders"].guards] == [
        ("authenticate_user!", "")
    ]


SHOP = {
    "config/routes.rb": "Rails.application.routes.draw do\n"
    "  resources :ip_pools, only: [:index, :new, :edit]\n"
    '  namespace :api do\n    resources :tills, except: [:destroy]\n  end\n'
    "end\n",
    "app/controllers/application_controller.rb": "class ApplicationController"
    " < ActionController::Base\n  before_action :login_required\n\n"
    "  def login_required\n    1\n  end\nend\n",
    "app/controllers/ip_pools_controller.rb": "class IPPoolsController < ApplicationController\n"
    "  before_action :admin_required, only: :new\n\n  def index\n    1\n  end\nend\n",
    "app/views/ip_pools/new.html.haml": "%p New\n%p Pool\n",
    "app/controllers/api/tills_controller.rb": "module API\n"
    "  class TillsController < ActionController::API\n    before_action :token_required\n\n"
    "    def show\n      1\n    end\n  end\nend\n",
}  # fmt: skip


def test_an_action_is_called_as_its_class_whose_filters_it_has_also_as_a_template_alone() -> None:
    made = {(*it.methods, it.route): it for it in endpoints(facts_of(SHOP))}
    rows = {key: (it.handler, it.handler_path, [guard.name for guard in it.guards])
            for key, it in made.items()}  # fmt: skip
    pools, tills = (
        "app/controllers/ip_pools_controller.rb",
        "app/controllers/api/tills_controller.rb",
    )
    assert rows == {
        ("GET", "/ip_pools"): ("IPPoolsController.index", pools, ["login_required"]),
        ("GET", "/ip_pools/new"): (
            "IPPoolsController.new", "app/views/ip_pools/new.html.haml",
            ["login_required", "admin_required"],
        ),
        ("GET", "/api/tills/:id"): ("API.TillsController.show", tills, ["token_required"]),
    }  # fmt: skip


def test_routes_of_an_engine_are_answered_in_its_own_namespace() -> None:
    facts = facts_of({
        "app/controllers/application_controller.rb": "class ApplicationController"
        " < ActionController::API\nend\n",
        "engines/pay/config/routes.rb": "Pay::Engine.routes.draw do\n  resources :bills,"
        " only: [:index, :show]\nend\n",
        "engines/pay/lib/pay/engine.rb": "module Pay\n  class Engine < ::Rails::Engine\n"
        "    isolate_namespace Pay\n  end\nend\n",
        "engines/pay/app/controllers/pay/bills_controller.rb": "module Pay\n"
        "  class BillsController < ::ApplicationController\n    before_action :require_payer\n"
        "    def index\n      1\n    end\n  end\nend\n",
    })  # fmt: skip
    (bills,) = endpoints(facts)
    assert bills.handler == "Pay.BillsController.index"
    assert [guard.name for guard in bills.guards] == ["require_payer"]
