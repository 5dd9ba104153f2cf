"""Guards of Rails: what runs before actions, and what actions ask themselves."""

from __future__ import annotations

from stationmaster.wiki.facts.guarding.filters import before
from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_filters_of_a_controller_are_those_it_inherits_and_includes_without_those_it_skips() -> (
    None
):
    facts = facts_of(
        {
            "app/controllers/application_controller.rb": "class ApplicationController < Base\n"
            "  include Sessions\n  before_action :authorize, :set_user\n"
            "  before_action -> { allow! :read }, unless: :api?\nend\n",
            "app/controllers/concerns/sessions.rb": "module Sessions\n  extend Concern\n\n"
            "  included do\n    before_action :require_https\n  end\n\n"
            "  def authorize\n    1\n  end\nend\n",
            "app/controllers/orders_controller.rb": "class OrdersController"
            " < ApplicationController\n"
            "  skip_before_action :authorize, only: [:index]\n"
            "  before_action :correct_user,\n    except: %i[index show]\n\n"
            "  def index\n    1\n  end\n\n  def create\n    1\n  end\n\n"
            "  private\n\n  def correct_user\n    1\n  end\nend\n",
        }
    )
    path = "app/controllers/orders_controller.rb"
    create = before(facts, path, "OrdersController", "create")
    assert [guard.name for guard in create] == [
        "require_https",
        "authorize",
        "set_user",
        "allow!",
        "correct_user",
    ]
    assert [guard.spot and guard.spot.path.rpartition("/")[2] for guard in create] == [
        None,
        "sessions.rb",
        None,
        None,
        "orders_controller.rb",
    ]
    index = before(facts, path, "OrdersController", "index")
    assert [guard.name for guard in index] == ["require_https", "set_user", "allow!"]


def test_a_route_of_rails_has_the_filters_that_decide_who_may_go_on() -> None:
    facts = facts_of(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n"
            '  post "/orders" => "orders#create"\nend\n',
            "app/controllers/orders_controller.rb": "class OrdersController < Base\n"
            "  before_action :set_order\n  before_action :authenticate_user!\n\n"
            "  def create\n    1\n  end\nend\n",
        }
    )
    (route,) = endpoints(facts)
    assert [guard.name for guard in route.guards] == ["authenticate_user!"]


def test_a_filter_that_signs_in_is_no_guard_one_of_cancancan_is_and_conditions_are_kept() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        "  resources :orders, only: %i[index show]\nend\n",
        "lib/ability.rb": "class Ability\n  include CanCan::Ability\nend\n",
        "app/controllers/application_controller.rb": "class ApplicationController"
        " < ActionController::Base\n  before_action :sign_in_guest\n"
        "  before_action :authenticate_user!, unless: :open?\n\n"
        "  def sign_in_guest\n    sign_in(User.first)\n  end\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < ApplicationController\n"
        "  load_and_authorize_resource :order, id_param: :code\n"
        "  skip_authorize_resource only: :show\n"
        "  skip_load_and_authorize_resource only: :show\n\n"
        "  def index\n    1\n  end\n\n  def show\n    1\n  end\nend\n",
    })  # fmt: skip
    index, show = endpoints(facts)
    assert [(it.words, it.spot and it.spot.name) for it in index.guards] == [
        ("authenticate_user!, unless: :open?", None),
        ("load_and_authorize_resource :order", "Ability"),
    ]
    assert [it.words for it in show.guards] == ["authenticate_user!, unless: :open?"]


def test_included_filters_run_from_the_last_name_on_and_a_macro_may_skip_them() -> None:
    facts = facts_of({
        "app/controllers/application_controller.rb": "class ApplicationController < Base\n"
        "  include Sessions,\n          Hosted\n\n  before_action :find_locale\n"
        "  prepend_before_action :require_https\nend\n",
        "app/controllers/concerns/sessions.rb": "module Sessions\n  extend Concern\n\n"
        "  included do\n    before_action :authenticate\n  end\n\n  class_methods do\n"
        "    def skip_authentication(**options)\n"
        "      skip_before_action :authenticate, **options\n"
        "      skip_before_action :find_locale, **options\n    end\n  end\n\n"
        "  def authenticate\n    1\n  end\nend\n",
        "app/controllers/concerns/hosted.rb": "module Hosted\n  extend Concern\n\n"
        "  included do\n    before_action :verify_host\n  end\n\n"
        "  def verify_host\n    1\n  end\nend\n",
        "app/controllers/api/base_controller.rb": "class Api::BaseController"
        " < ApplicationController\n  skip_authentication\n  before_action :require_key\nend\n",
        "app/controllers/api/tills_controller.rb": "class Api::TillsController"
        " < Api::BaseController\n  def index\n    1\n  end\nend\n",
        "app/controllers/tills_controller.rb": "class TillsController < ApplicationController\n"
        "  skip_authentication only: :show\n\n  def index\n    1\n  end\n\n"
        "  def show\n    1\n  end\nend\n",
    })  # fmt: skip

    def names(path: str, holder: str, action: str) -> list[str]:
        return [guard.name for guard in before(facts, path, holder, action)]

    own = "app/controllers/tills_controller.rb"
    everything = ["require_https", "verify_host", "authenticate", "find_locale"]
    assert names(own, "TillsController", "index") == everything
    assert names(own, "TillsController", "show") == ["require_https", "verify_host"]
    assert names("app/controllers/api/tills_controller.rb", "Api.TillsController", "index") == [
        "require_https",
        "verify_host",
        "require_key",
    ]


def test_a_filter_that_is_skipped_under_a_condition_is_left_under_its_opposite() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        "  resources :orders, only: %i[index show new]\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < Base\n"
        "  before_action :authenticate_key\n"
        "  before_action :require_owner, unless: lambda {\n"
        "    action_name == 'create' &&\n      %w[a b].include?(params[:name])\n  }\n"
        "  skip_before_action :authenticate_key, only: :index, if: :shared?\n"
        "  skip_before_action :authenticate_key, only: :new, unless: -> { Rails.env.test? }\n\n"
        "  def index\n    1\n  end\n\n  def show\n    1\n  end\n\n  def new\n    1\n  end\nend\n",
    })  # fmt: skip
    routes = {it.route: [guard.words for guard in it.guards] for it in endpoints(facts)}
    owner = "require_owner, unless: lambda { action_name == 'create' && "
    owner += "%w[a b].include?(params[:name]) }"
    assert routes["/orders"] == ["authenticate_key, unless: :shared?", owner]
    assert routes["/orders/:id"] == ["authenticate_key", owner]
    assert routes["/orders/new"] == ["authenticate_key, if: -> { Rails.env.test? }", owner]


def test_a_password_that_a_controller_asks_for_guards_its_actions() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        '  get "/figures" => "figures#index"\nend\n',
        "app/controllers/figures_controller.rb": "class FiguresController < Base\n"
        "  http_basic_authenticate_with(\n    name: NAME.to_s,\n    password: WORD.to_s,\n"
        "    only: :index,\n    if: -> { NAME.present? }\n  )\n\n"
        "  def index\n    1\n  end\nend\n",
    })  # fmt: skip
    (route,) = endpoints(facts)
    assert [it.words for it in route.guards] == [
        "http_basic_authenticate_with, if: -> { NAME.present? }"
    ]


def test_a_filter_that_answers_that_one_is_not_allowed_is_a_guard_whatever_its_name() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        '  get "/orders" => "orders#index"\nend\n',
        "app/controllers/base_controller.rb": "class BaseController\n"
        "  before_action :stop_unpaid, :load_order, :count_calls\n\n"
        "  def stop_unpaid\n    return if paid?\n\n"
        "    render json: {\n      error: 'unpaid'\n    }, status: :payment_required\n  end\n\n"
        "  def load_order\n    head :not_found unless Order.first\n  end\n\n"
        "  def count_calls\n    head 403 if calls > 3\n  end\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < BaseController\n"
        "  def index\n    1\n  end\nend\n",
    })  # fmt: skip
    (route,) = endpoints(facts)
    assert [(it.name, it.spot and it.spot.name) for it in route.guards] == [
        ("stop_unpaid", "BaseController.stop_unpaid"),
        ("count_calls", "BaseController.count_calls"),
    ]


def test_an_action_is_guarded_by_the_method_of_a_policy_and_by_its_own_early_answers() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        "  resources :orders, only: %i[index show create update]\nend\n",
        "app/policies/application_policy.rb": "class ApplicationPolicy\n"
        "  def create?\n    false\n  end\nend\n",
        "app/policies/order_policy.rb": "class OrderPolicy < ApplicationPolicy\n"
        "  def list?\n    true\n  end\n\n  def show?\n    true\n  end\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < Base\n"
        "  def index\n    authorize Order, :list?\n  end\n\n"
        "  def show\n    @order = Order.find(1)\n    authorize @order unless shared?\n  end\n\n"
        "  def create\n    return head :forbidden unless open?\n\n"
        "    if late?\n      render json: {}, status: :unauthorized\n      return\n    end\n\n"
        "    authorize Order\n  end\n\n"
        "  def update\n    return redirect_to('/') if past?\n\n    authorize Order, :list?\n"
        "  end\nend\n",
    })  # fmt: skip
    guards = {it.handler.rpartition(".")[2]: it.guards for it in endpoints(facts)}
    words = {name: [it.words for it in own] for name, own in guards.items()}
    assert words["index"] == ["OrderPolicy#list?"]
    assert words["show"] == ["OrderPolicy#show?, unless shared?"]
    assert words["create"] == [
        "refuses with 403 unless open?",
        "refuses with 401 if late?",
        "OrderPolicy#create?",
    ]
    assert words["update"] == []
    assert guards["create"][2].spot == (
        "app/policies/application_policy.rb",
        "ApplicationPolicy.create?",
    )


OF_PEOPLE = {
    "config/routes.rb": "Rails.application.routes.draw do\n  resources :orders,"
    " only: [:index, :show]\nend\n",
    "app/controllers/concerns/within_shop.rb": "module WithinShop\n  def shop\n"
    "    @shop ||= current_user.shops.find_by_name!(params[:shop])\n  end\nend\n",
    "app/controllers/orders_controller.rb": "class OrdersController < ActionController::Base\n"
    "  include WithinShop\n"
    "  before_action { @till = Till.find(params[:till]) }\n"
    "  before_action { params[:id] && @order = shop.orders.find(params[:id]) }\n"
    "  before_action -> { check_till! }, only: :index\n"
    "  before_action only: :show do\n    @a = 1\n    @b = current_user.goods.first!\n  end\n"
    "  before_action(except: :show) { head :forbidden unless @till.open? }\n\n"
    "  def index\n    1\n  end\n\n  def show\n    1\n  end\nend\n",
}  # fmt: skip


def test_a_block_before_an_action_is_called_as_its_statement_or_by_its_lines() -> None:
    facts, path = facts_of(OF_PEOPLE), "app/controllers/orders_controller.rb"
    till, order = "@till = Till.find(params[:till])", (
        "params[:id] && @order = shop.orders.find(params[:id])"
    )  # fmt: skip
    show = before(facts, path, "OrdersController", "show")
    assert [it.name for it in show] == [till, order, f"block at {path}:6-9"]
    assert [it.name for it in before(facts, path, "OrdersController", "index")] == [
        till, order, "check_till!", "head :forbidden unless @till.open?",
    ]  # fmt: skip


def test_a_block_that_looks_up_what_belongs_to_a_person_decides_on_routes_with_its_parameter() -> (
    None
):
    guards = {
        it.route: [guard.name for guard in it.guards] for it in endpoints(facts_of(OF_PEOPLE))
    }
    assert guards == {
        "/orders": ["head :forbidden unless @till.open?"],
        "/orders/:id": [
            "params[:id] && @order = shop.orders.find(params[:id])",
            "block at app/controllers/orders_controller.rb:6-9",
        ],
    }
