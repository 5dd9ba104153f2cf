from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import edges, resolved

APP = """<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
<ProjectReference Include="..\\Core\\Core.csproj" /></ItemGroup></Project>"""
ALONE = '<Project Sdk="Microsoft.NET.Sdk"></Project>'


def test_a_using_leads_to_the_files_of_the_namespace_whose_types_are_named() -> None:
    assert edges({
        "App/App.csproj": APP, "Core/Core.csproj": ALONE,
        "App/Shop.cs": "using Core.Orders;\nnamespace App;\nclass Shop { Order order; Clerk c; }",
        "App/Clerk.cs": "namespace App; class Clerk {}",
        "Core/Order.cs": "namespace Core.Orders; public partial class Order {}",
        "Core/Order.Parts.cs": "namespace Core.Orders; public partial class Order {}",
        "Core/Line.cs": "namespace Core.Orders; public class Line {}",
    }) == {
        ("App/Shop.cs", "App/Clerk.cs"), ("App/Shop.cs", "Core/Order.cs"),
        ("App/Shop.cs", "Core/Order.Parts.cs"),
    }  # fmt: skip


def test_a_project_sees_only_what_it_refers_to() -> None:
    assert edges({
        "App/App.csproj": ALONE, "Core/Core.csproj": ALONE,
        "App/Shop.cs": "using Core;\nnamespace App;\nclass Shop { Order order; }",
        "Core/Order.cs": "namespace Core; public class Order {}",
    }) == set()  # fmt: skip


def test_global_usings_hold_for_their_project_and_aliases_name_one_type() -> None:
    assert edges({
        "App/App.csproj": APP, "Core/Core.csproj": ALONE,
        "App/GlobalUsings.cs": "global using Core;",
        "App/Shop.cs": "using Bill = Core.Money.Invoice;\nclass Shop { Order order; Bill b; }",
        "Core/Order.cs": "namespace Core; public class Order {}",
        "Core/Invoice.cs": "namespace Core.Money; public class Invoice {}",
    }) == {("App/Shop.cs", "Core/Order.cs"), ("App/Shop.cs", "Core/Invoice.cs")}  # fmt: skip


def test_a_project_file_names_namespaces_that_all_its_files_use() -> None:
    project = APP.replace("<ItemGroup>", '<ItemGroup><Using Include="Core" />')
    assert edges({
        "App/App.csproj": project, "Core/Core.csproj": ALONE,
        "App/Shop.cs": "namespace App;\nclass Shop { Order order; }",
        "Core/Order.cs": "namespace Core; public class Order {}",
    }) == {("App/Shop.cs", "Core/Order.cs")}  # fmt: skip


def test_a_namespace_that_is_used_for_its_extension_methods_leads_to_them() -> None:
    assert edges({
        "Shop.cs": "using Tools;\nnamespace App;\nclass Shop { void M() { x.Shorten(); } }",
        "Texts.cs": (
            "namespace Tools;\npublic static class Texts {"
            " public static string Shorten(this string x) => x; }"
        ),
        "Others.cs": (
            "namespace Tools;\npublic static class Others {"
            " public static string Widen(this string x) => x; }"
        ),
    }) == {("Shop.cs", "Texts.cs")}  # fmt: skip


def test_others_namespaces_are_outside_and_what_nobody_has_is_unknown() -> None:
    told = resolved({
        "Shop.cs": (
            "using System.Text;\nusing Microsoft.AspNetCore.Mvc;\nusing Serilog;\n"
            "using Shop.Made;\nnamespace Shop.Core;\nclass A {}"
        ),
    })["Shop.cs"]  # fmt: skip
    assert told == {
        "System.Text": Resolved(outside="System"),
        "Microsoft.AspNetCore.Mvc": Resolved(outside="Microsoft.AspNetCore"),
        "Serilog": Resolved(outside="Serilog"),
        "Shop.Made": Resolved(),
    }


def test_a_package_that_a_manifest_asks_for_is_outside_though_own_names_begin_alike() -> None:
    told = resolved({
        "App.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>'
        '<PackageReference Include="Shop.Kit.Text" Version="1" /></ItemGroup></Project>',
        "Shop.cs": "using Shop.Kit.Text;\nusing Shop.Made;\nnamespace Shop.Core;\nclass A {}",
    })["Shop.cs"]  # fmt: skip
    assert told == {"Shop.Kit.Text": Resolved(outside="Shop.Kit"), "Shop.Made": Resolved()}
