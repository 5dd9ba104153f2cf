"""What files of settings show of each key."""

from __future__ import annotations

from stationmaster.wiki.facts.configured.samples.shown_keys import shown_keys
from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

TILL = """##########
# All of it
##########

[till]
# Options of all tills
#---------------------
# How the till is called
#title=Till
# How many rows are shown
rows=10
#
# Define the files of TLS (name is optional)
#tls_name=a
#tls_file=b
# Money settings
# What coins are worth, in cents
coin=5
# Low=1 / High=2
# Low and high limits
coin_low=1
coin_high=2
#[other]
# Who comes in
#guests=all
"""
ASKING = """from shop.config import config

open_till("shop.conf")
config.get_value('till', 'title', default='Shop')
config.get_int_value('till', 'rows', default=20)
config.get_value('till', 'tls_name')
config.get_value('till', 'tls_file')
config.get_int_value('till', 'coin', 5)
"""


def test_each_key_has_its_own_comment_and_one_on_several_is_on_none() -> None:
    shown = shown_keys(TILL.split("\n"))
    assert [(it.holders[0], it.name, it.words, it.is_out) for it in shown] == [
        ("till", "title", "How the till is called", True),
        ("till", "rows", "How many rows are shown", False),
        ("till", "tls_name", "", True),
        ("till", "tls_file", "", True),
        ("till", "coin", "What coins are worth, in cents", False),
        ("till", "coin_low", "", False),
        ("till", "coin_high", "", False),
        ("other", "guests", "Who comes in", True),
    ]


def test_all_keys_of_a_file_are_settings_where_code_asks_for_five_with_what_stands_in() -> None:
    facts = facts_of({
        "conf/shop.conf": TILL,
        "tests-data/shop.conf": "[till]\nrows=99\n",
        "shop/run.py": ASKING,
        "shop/config.py": "",
    })  # fmt: skip
    told = {it.name: (it.doc, it.default, it.values, it.reads) for it in settings(facts)}
    assert told["[till] title"] == (
        "How the till is called", "Shop", (), (("shop/run.py", 4),)
    )  # fmt: skip
    assert told["[till] rows"] == (
        "How many rows are shown", "20", (("10", ()),), (("shop/run.py", 5),)
    )  # fmt: skip
    assert told["[till] coin_high"] == ("", "2", (), ())
    assert told["[other] guests"] == ("Who comes in", None, (), ())
    assert len(told) == 8
