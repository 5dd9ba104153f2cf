"""Constants of PHP as settings."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

SAMPLE = """<?php

/*
 * Copy this file to config.php
 */

// Where all of it lies
define('SHOP_DATA', __DIR__.DIRECTORY_SEPARATOR.'data');

/** How many rows
 ** a page has */
define( 'SHOP_ROWS', 10 );

// Mail settings
define('MAIL_HOST', '');
define('MAIL_PORT', 25); // Where it listens
// define('MAIL_FROM', 'nobody');
"""


def test_constants_of_a_sample_have_comments_defaults_and_the_places_that_name_them() -> None:
    facts = facts_of({
        "config.sample.php": SAMPLE,
        "src/shop.php": "<?php\nopen(SHOP_DATA, SHOP_ROWS);\nmail(MAIL_HOST, MAIL_PORT);\n",
    })  # fmt: skip
    assert {it.name: (it.doc, it.default, it.reads, it.set_at) for it in settings(facts)} == {
        "SHOP_DATA": (
            "Where all of it lies",
            "data",
            (("src/shop.php", 2),),
            (("config.sample.php", 8),),
        ),
        "SHOP_ROWS": (
            "How many rows a page has",
            "10",
            (("src/shop.php", 2),),
            (("config.sample.php", 12),),
        ),
        "MAIL_HOST": ("", "", (("src/shop.php", 3),), (("config.sample.php", 15),)),
        "MAIL_PORT": (
            "Where it listens",
            "25",
            (("src/shop.php", 3),),
            (("config.sample.php", 16),),
        ),
        "MAIL_FROM": ("", None, (), (("config.sample.php", 17),)),
    }
    other = {"config.sample.php": SAMPLE, "src/shop.php": "<?php\nopen(SHOP_DATA);\n"}
    assert not settings(facts_of(other))


CASES = """<?php
namespace Shop;
enum Variable: string
{
    case Rows = 'SHOP_ROWS';
    case Mail = 'SHOP_MAIL';
    case Host = 'SHOP_HOST';
    case Port = 'SHOP_PORT';

    public function load(): mixed
    {
        return env($this->value) ?? $this->other();
    }

    private function other(): mixed
    {
        return match ($this) {
            self::Rows => 10,
            self::Mail,
            self::Host,
                => '',
            self::Port => match (self::Mail->load()) { 'x' => 3, default => 4 },
        };
    }
}
"""


def test_variables_that_are_cases_of_an_enum_are_read_where_code_names_the_cases() -> None:
    facts = facts_of({
        "src/Variable.php": CASES,
        "src/shop.php": "<?php\nopen(Variable::Rows->load(), Variable::Host->load());\n"
        "$names = Variable::class; $gc = env('SHOP_GC', default: false);\n",
    })  # fmt: skip
    found = {it.name: it for it in settings(facts)}
    assert {name: (it.default, set(it.reads) - set(it.declared)) for name, it in found.items()} == {
        "SHOP_ROWS": ("10", {("src/shop.php", 2)}),
        "SHOP_MAIL": ("", {("src/Variable.php", 22)}),
        "SHOP_HOST": ("", {("src/shop.php", 2)}),
        "SHOP_PORT": (None, set()),
        "SHOP_GC": ("false", {("src/shop.php", 3)}),
    }
    assert found["SHOP_ROWS"].declared == (("src/Variable.php", 5),)
