"""Permissions that views of Django REST framework list."""

from __future__ import annotations

from tests.wiki.commits import facts_of
from tests.wiki.facts.guarding.test_deciding import decided

_HEAD = (
    "from rest_framework import viewsets\n"
    "from rest_framework.decorators import action, api_view, permission_classes\n"
    "from rest_framework.permissions import BasePermission\n\n\n"
    "class Reading(BasePermission): ...\n\n\nclass Selling(BasePermission): ...\n\n\n"
    "class Owning(BasePermission): ...\n\n\n"
)


def _decided(views: str, routes: str) -> dict[str, list[str]]:
    urls = "from django.urls import include, path\nfrom rest_framework import routers\n"
    urls += f"from shop import views\n\nrouter = routers.DefaultRouter()\n{routes}"
    facts = facts_of({
        "shop/__init__.py": "", "shop/views.py": _HEAD + views, "shop/urls.py": urls,
    })  # fmt: skip
    return {f"{verbs} {path}": guards for verbs, path, guards in decided(facts)}


def test_permissions_of_which_one_is_enough_are_one_guard_and_those_that_are_all_asked_are_several(
) -> None:  # fmt: skip
    guards = _decided(
        "@api_view()\n@permission_classes([(Reading | Selling) & Owning])\n"
        "def show(request): ...\n\n\n"
        "@api_view()\n@permission_classes([((Reading | Selling) & Owning) | Owning & Selling])\n"
        "def sell(request): ...\n\n\n"
        "@api_view()\n@permission_classes([~Reading, Selling | Owning])\n"
        "def close(request): ...\n",
        "urlpatterns = [\n    path('a', views.show), path('b', views.sell),"
        " path('c', views.close),\n]\n",
    )
    assert guards == {
        "GET /a": ["Reading | Selling", "Owning"],
        "GET /b": ["((Reading | Selling) & Owning) | Owning & Selling"],
        "GET /c": ["~Reading", "Selling | Owning"],
    }


_ROUTER = (
    "router.register('tills', views.Tills)\n\nurlpatterns = [path('', include(router.urls))]\n"
)


def test_permissions_of_an_action_replace_those_of_its_class_and_are_not_those_of_others() -> None:
    guards = _decided(
        "class Tills(viewsets.ReadOnlyModelViewSet):\n    permission_classes = [Owning]\n\n"
        "    @action(detail=False, methods=['POST'], serializer_class=Sale,\n"
        "            permission_classes=[Selling])\n"
        "    def sell(self, request): ...\n\n"
        "    @action(detail=False, permission_classes=[])\n"
        "    def show(self, request): ...\n",
        _ROUTER,
    )
    assert guards == {
        "GET /tills/": ["Owning"], "GET /tills/{pk}/": ["Owning"],
        "POST /tills/sell/": ["Selling"], "GET /tills/show/": [],
    }  # fmt: skip


def test_a_method_that_chooses_permissions_stands_for_them_except_for_actions_that_it_leaves(
) -> None:  # fmt: skip
    view = (
        "class Tills(viewsets.ReadOnlyModelViewSet):\n    permission_classes = [Owning]\n\n"
        "    def get_permissions(self):\n        if self.action == 'sell':\n"
        "            return [Selling()]\n        return {}\n\n"
        "    @action(detail=False)\n    def sell(self, request): ...\n\n"
        "    @action(detail=False)\n    def show(self, request): ...\n"
    )
    leaving = _decided(view.format("super().get_permissions()"), _ROUTER)
    assert leaving == {
        "GET /tills/": ["Owning"], "GET /tills/{pk}/": ["Owning"],
        "GET /tills/sell/": ["Tills.get_permissions"], "GET /tills/show/": ["Owning"],
    }  # fmt: skip
    every = _decided(view.format("[Reading()]"), _ROUTER).values()
    assert [*every] == [["Tills.get_permissions"]] * 4


def test_actions_that_a_view_set_inherits_have_the_permissions_of_the_view_set() -> None:
    guards = _decided(
        "class Moving:\n    permission_classes = [Reading]\n\n"
        "    @action(detail=True, url_path='move/(?P<place>[^/.]+)', methods=['PUT'])\n"
        "    def move(self, request, pk, place): ...\n\n"
        "    @move.mapping.delete\n    def remove(self, request, pk, place): ...\n\n"
        "    @action(detail=False, permission_classes=[Selling])\n"
        "    def sold(self, request): ...\n\n\n"
        "class Tills(Moving, viewsets.GenericViewSet):\n    permission_classes = [Owning]\n",
        _ROUTER,
    )
    assert guards == {
        "DELETE /tills/{pk}/move/{place}/": ["Owning"],
        "PUT /tills/{pk}/move/{place}/": ["Owning"], "GET /tills/sold/": ["Selling"],
    }  # fmt: skip
