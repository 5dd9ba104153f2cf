from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import edges, resolved


def test_types_are_found_by_the_packages_that_files_declare() -> None:
    assert edges({
        "src/main/java/Anywhere.java": (
            "package shop;\nimport shop.orders.Order;\nimport shop.orders.Order.Line;\n"
            "import static shop.Texts.join;\nclass Shop {}"
        ),
        "lib/Order.java": "package shop.orders; public class Order { class Line {} }",
        "lib/Texts.java": "package shop; class Texts { static void join() {} }",
        "lib/Other.java": "package other.orders; class Order {}",
    }) == {
        ("src/main/java/Anywhere.java", "lib/Order.java"),
        ("src/main/java/Anywhere.java", "lib/Texts.java"),
    }  # fmt: skip


def test_a_wildcard_leads_to_what_of_the_package_is_used_and_so_does_the_own_package() -> None:
    assert edges({
        "a/Shop.java": "package shop;\nimport shop.parts.*;\nclass Shop { Door door; Clerk c; }",
        "a/Clerk.java": "package shop; class Clerk {}",
        "a/Cellar.java": "package shop; class Cellar {}",
        "b/Door.java": "package shop.parts; public class Door {}",
        "b/Roof.java": "package shop.parts; public class Roof {}",
    }) == {("a/Shop.java", "b/Door.java"), ("a/Shop.java", "a/Clerk.java")}  # fmt: skip


def test_the_nearest_file_is_meant_where_several_declare_a_type() -> None:
    one = "package shop; class Door {}"
    assert edges({
        "one/src/Shop.java": "package shop.front; import shop.Door; class Shop { Door d; }",
        "one/src/Door.java": one,
        "two/src/Door.java": one,
    }) == {("one/src/Shop.java", "one/src/Door.java")}  # fmt: skip


def test_others_packages_are_outside_and_what_nobody_has_is_unknown() -> None:
    told = resolved({
        "Shop.java": (
            "package com.example.shop;\nimport java.util.List;\nimport javax.inject.Inject;\n"
            "import javax.net.ssl.SSLContext;\nimport org.springframework.web.bind.Get;\n"
            "import lombok.Data;\nimport com.example.shop.generated.Made;\nclass Shop { Thing t; }"
        ),
    })["Shop.java"]  # fmt: skip
    assert told == {
        "java.util.List": Resolved(outside="java.util"),
        "javax.inject.Inject": Resolved(outside="javax.inject"),
        "javax.net.ssl.SSLContext": Resolved(outside="javax.net"),
        "org.springframework.web.bind.Get": Resolved(outside="org.springframework.web"),
        "lombok.Data": Resolved(outside="lombok"),
        "com.example.shop.generated.Made": Resolved(),
        "Thing": Resolved(is_settled=True),
    }


def test_kotlin_and_java_see_each_other_and_functions_of_a_package_are_found() -> None:
    assert edges({
        "src/commonMain/Shop.kt": "package shop\nimport shop.texts.join\nval x: Clerk = join()",
        "src/main/Clerk.java": "package shop; class Clerk { Door door; }",
        "src/commonMain/Door.kt": "package shop\nclass Door",
        "src/commonMain/Texts.kt": "package shop.texts\nfun join() = 1",
    }) == {
        ("src/commonMain/Shop.kt", "src/main/Clerk.java"),
        ("src/commonMain/Shop.kt", "src/commonMain/Texts.kt"),
        ("src/main/Clerk.java", "src/commonMain/Door.kt"),
    }  # fmt: skip
