"""What guards views of Django that their own lines do not state."""

from __future__ import annotations

from tests.wiki.commits import facts_of
from tests.wiki.facts.guarding.test_deciding import decided

SHOP = {
    "shop/__init__.py": "",
    "shop/settings.py": "REST_FRAMEWORK = {\n    'PAGE_SIZE': 20,\n"
    "    'DEFAULT_PERMISSION_CLASSES': (\n        'shop.permissions.Members',\n    ),\n}\n",
    "shop/permissions.py": "from rest_framework.permissions import BasePermission\n\n\n"
    "class Members(BasePermission):\n    def has_permission(self, request, view):\n"
    "        return getattr(view, 'is_open', False) or view.is_open or view.get_queryset()\n",
    "shop/urls.py": "from django.urls import path\nfrom shop import views\n\nurlpatterns = [\n"
    "    path('a', views.Tills.as_view()), path('b', views.Doors.as_view()),\n"
    "    path('c', views.Keys.as_view()), path('d', views.show),\n"
    "    path('e', views.Asked.as_view()), path('f', views.Others.as_view()),\n]\n",
    "shop/views.py": "from elsewhere import View\nfrom rest_framework import generics\n"
    "from rest_framework.decorators import api_view\nfrom rest_framework.views import APIView\n\n\n"
    "class Tills(generics.ListAPIView):\n    queryset = 1\n\n\n"
    "class Doors(APIView):\n    is_open = True\n\n    def get(self, request): ...\n\n\n"
    "class Keys(Doors):\n    permission_classes = [Owners]\n\n\n"
    "@api_view(['GET'])\ndef show(request): ...\n\n\n"
    "class Asked(Doors):\n    def get_permissions(self): ...\n\n\n"
    "class Others(View):\n    def get(self, request): ...\n",
}


def test_views_without_permissions_of_their_own_have_those_of_the_settings() -> None:
    assert [(path, guards) for _, path, guards in decided(facts_of(SHOP))] == [
        ("/a", ["Members"]), ("/b", ["Members(is_open=True)"]), ("/c", ["Owners"]),
        ("/d", ["Members"]), ("/e", ["Asked.get_permissions"]), ("/f", []),
    ]  # fmt: skip


def test_permissions_that_two_settings_state_otherwise_are_not_told() -> None:
    other = SHOP["shop/settings.py"].replace("Members", "Guests")
    facts = facts_of({**SHOP, "shop/local_settings.py": other})
    assert [guards for _, path, guards in decided(facts) if path == "/a"] == [[]]


def test_an_attribute_that_decides_whether_a_view_refuses_is_that_of_the_route_or_the_class() -> (
    None
):
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "from django.contrib.auth.views import PasswordChangeView\n"
        "from django.views.generic import TemplateView\n\n\n"
        "class Page(TemplateView):\n    is_closed = False\n\n"
        "    def dispatch(self, request, *args, **kwargs):\n"
        "        if self.is_closed and not request.user.is_authenticated:\n"
        "            return redirect_to_login(request.path)\n"
        "        return super().dispatch(request, *args, **kwargs)\n\n\n"
        "class Safe(Page):\n    is_closed = True\n\n\n"
        "class Words(PasswordChangeView):\n    pass\n",
        "shop/urls.py": "from django.contrib.auth import views as auth\n"
        "from django.urls import path\nfrom shop.views import Page, Safe, Words\n\n"
        "urlpatterns = [\n"
        "    path('a', Page.as_view()), path('b', Page.as_view(is_closed=True)),\n"
        "    path('c', Safe.as_view()), path('d', Safe.as_view(is_closed=False)),\n"
        "    path('e', Words.as_view()),\n"
        "    path('f', auth.PasswordChangeView.as_view()),\n]\n",
    })  # fmt: skip
    assert [(path, guards) for _, path, guards in decided(facts)] == [
        ("/a", []), ("/b", ["Page.dispatch"]), ("/c", ["Page.dispatch"]), ("/d", []),
        ("/e", ["login_required"]), ("/f", ["login_required"]),
    ]  # fmt: skip


def test_all_permissions_of_views_and_decorators_are_told_and_what_replaces_their_check() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "from django.views.generic import DetailView\n\n"
        "@permission_required('shop.sell', raise_exception=True)\n"
        "@permission_required(['shop.a', 'shop.b'])\ndef sell(request):\n    return 1\n\n"
        "class AnyMixin(PermissionRequiredMixin):\n    def has_permission(self):\n"
        "        return True\n\n"
        "class Door(AnyMixin, DetailView):\n    permission_required = (\n"
        "        'shop.a',\n        'shop.b',\n    )\n\n"
        "class AllPermissionsRequiredMixin(PermissionRequiredMixin):\n"
        "    def has_permission(self):\n        return True\n\n"
        "class Hall(AllPermissionsRequiredMixin, DetailView):\n"
        "    permission_required = 'shop.a'\n",
        "shop/urls.py": "from django.urls import path\nfrom . import views\n\nurlpatterns = [\n"
        "    path('door', views.Door.as_view()), path('hall', views.Hall.as_view()),\n"
        "    path('sell', views.sell),\n]\n",
    })  # fmt: skip
    assert [(path, guards) for _, path, guards in decided(facts)] == [
        ("/door", ["AnyMixin.has_permission(shop.a, shop.b)"]),
        ("/hall", ["AllPermissionsRequiredMixin(shop.a)"]),
        ("/sell", [
            "permission_required('shop.sell', raise_exception=True)",
            "permission_required(['shop.a', 'shop.b'])",
        ]),
    ]  # fmt: skip


def test_a_handler_that_sends_away_who_has_no_right_has_a_guard_and_one_that_ends_otherwise_none(
) -> None:  # fmt: skip
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "def close(request):\n    if not request.user.is_superuser:\n"
        "        warn(request)\n        return HttpResponseRedirect(reverse('index'))\n"
        "    return shut()\n\n\n"
        "def enter(request):\n    if request.user.is_authenticated:\n"
        "        return redirect('index')\n    return render(request)\n\n\n"
        "def show(request):\n    if not request.user.name:\n        name = 'Guest'\n"
        "    return redirect('index')\n",
        "shop/urls.py": "from django.urls import path\nfrom . import views\n\nurlpatterns = [\n"
        "    path('close', views.close), path('enter', views.enter), path('show', views.show),\n"
        "]\n",
    })  # fmt: skip
    assert [(path, guards) for _, path, guards in decided(facts)] == [
        ("/close", ["refuses with HttpResponseRedirect if not request.user.is_superuser"]),
        ("/enter", []), ("/show", []),
    ]  # fmt: skip


def test_decorators_of_the_methods_of_a_class_guard_it_with_the_rights_that_they_are_given() -> (
    None
):
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "from django.views import View\n\n"
        "@method_decorator(login_required, name='dispatch')\n"
        "@method_decorator(\n    permission_required('shop.sell', raise_exception=True),\n"
        "    name='dispatch',\n)\n"
        "class Till(View):\n    def get(self, request):\n        return 1\n\n"
        "@method_decorator([never_cache, permission_required(['shop.a', 'shop.b'])],"
        " name='dispatch')\n"
        "class Safe(View):\n    def get(self, request):\n        return 1\n",
        "shop/urls.py": "from django.urls import path\nfrom . import views\n\nurlpatterns = [\n"
        "    path('safe', views.Safe.as_view()), path('till', views.Till.as_view()),\n]\n",
    })  # fmt: skip
    assert [(path, guards) for _, path, guards in decided(facts)] == [
        ("/safe", ["permission_required(['shop.a', 'shop.b'])"]),
        ("/till", ["login_required", "permission_required('shop.sell', raise_exception=True)"]),
    ]
