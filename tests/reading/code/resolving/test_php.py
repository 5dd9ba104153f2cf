from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import edges, resolved


def test_classes_are_found_by_their_full_names_and_those_of_the_own_namespace_by_short_ones() -> (
    None
):
    assert edges({
        "src/Shop.php": (
            "<?php namespace App\\Front; use App\\Orders\\Order; use function App\\Texts\\join;\n"
            "class Shop extends Building { function x() { new \\App\\Orders\\Line(); } }"
        ),
        "src/Building.php": "<?php namespace App\\Front; class Building {}",
        "src/Order.php": "<?php namespace App\\Orders; class Order {}",
        "src/Line.php": "<?php namespace App\\Orders; class Line {}",
        "src/texts.php": "<?php namespace App\\Texts; function join() {}",
        "src/Other.php": "<?php namespace Other\\Orders; class Order {}",
    }) == {
        ("src/Shop.php", "src/Building.php"), ("src/Shop.php", "src/Order.php"),
        ("src/Shop.php", "src/Line.php"), ("src/Shop.php", "src/texts.php"),
    }  # fmt: skip


def test_a_file_that_is_included_lies_beside_or_below_the_root() -> None:
    assert edges({
        "public/index.php": "<?php require __DIR__ . '/../boot.php'; include 'public/head.php';",
        "boot.php": "<?php", "public/head.php": "<?php",
    }) == {("public/index.php", "boot.php"), ("public/index.php", "public/head.php")}  # fmt: skip


def test_others_classes_are_outside_and_what_nobody_has_is_unknown() -> None:
    told = resolved({
        "src/Shop.php": (
            "<?php namespace Acme\\Shop; use Exception; use Symfony\\Component\\Console\\Command;\n"
            "use Acme\\Shop\\Made; require 'vendor/autoload.php';"
        ),
    })["src/Shop.php"]  # fmt: skip
    assert told == {
        "Exception": Resolved(outside="Exception"),
        "Symfony\\Component\\Console\\Command": Resolved(outside="Symfony\\Component"),
        "Acme\\Shop\\Made": Resolved(),
        "vendor/autoload.php": Resolved(is_settled=True),
    }


def test_a_package_that_a_manifest_asks_for_is_outside_though_own_names_begin_alike() -> None:
    told = resolved({
        "composer.json": '{"require": {"shop/kit-text": "^1"}}',
        "a.php": "<?php\nnamespace Shop\\Kit;\nuse Shop\\Kit\\Text\\Line;\n"
        "use Shop\\Kit\\Made\\X;\n",
    })["a.php"]  # fmt: skip
    assert told == {
        "Shop\\Kit\\Text\\Line": Resolved(outside="Shop\\Kit\\Text"),
        "Shop\\Kit\\Made\\X": Resolved(),
    }
