"""What decides whether a request reaches its handler."""

from __future__ import annotations

from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.interfaces.guards import Guard, before
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


def test_views_of_django_have_their_own_permissions_or_those_they_inherit() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/permissions.py": "class Owns(BasePermission):\n    pass\n",
            "shop/views.py": "from rest_framework.views import GenericAPIView\n"
            "from shop.permissions import Owns\n\n"
            "class Above(GenericAPIView):\n    permission_classes = (IsAuthenticated, Owns)\n\n"
            "class Orders(LoginRequiredMixin, Above):\n    filter_backends = [\n        Sorted,\n"
            "        PermittedFilter,  # the others\n    ]\n\n    def post(self, request):\n"
            "        permission_classes = [Never]\n        return 1\n",
            "shop/urls.py": "from django.urls import path\nfrom shop.views import Orders\n\n"
            'urlpatterns = [path("orders/", Orders.as_view())]\n',
        }
    )
    (route,) = endpoints(facts)
    assert route.methods == ("POST",)
    assert [(guard.name, guard.spot and guard.spot.name) for guard in route.guards] == [
        ("LoginRequiredMixin", None),
        ("PermittedFilter", None),
        ("IsAuthenticated", None),
        ("Owns", "Owns"),
    ]
