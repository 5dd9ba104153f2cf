"""Keys of shipped properties that a comment describes."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import Configured, settings
from tests.wiki.commits import facts_of

PROPERTIES = """# Defines the address of the till, which all shops share.
#
# @type: string
# @required
shop.till.url=

# Defines how many receipts are printed at once by a till.
#
# @type: integer
# shop.till.receipts=20

# Defines whether a till may print anything at all.
shop.till=true

# other.till=3
"""


def keys(text: str) -> dict[str, Configured]:
    facts = facts_of({"src/main/resources/application.properties": text})
    return {it.name: it for it in settings(facts)}


def test_a_key_that_is_commented_out_below_its_description_is_a_setting_without_a_default() -> None:
    row = keys(PROPERTIES)["shop.till.receipts"]
    assert row.doc == "Defines how many receipts are printed at once by a till."
    assert (row.type, row.default, row.values, row.is_required) == ("integer", None, (), False)
    assert "other.till" not in keys(PROPERTIES)


def test_tags_of_a_comment_say_the_type_of_a_key_and_that_one_without_a_value_is_required() -> None:
    row = keys(PROPERTIES)["shop.till.url"]
    assert (row.type, row.is_required) == ("string", True)
    facts = facts_of(
        {
            "src/main/resources/application.properties": PROPERTIES,
            "src/main/resources/application-dev.properties": "shop.till.url=db://till\n",
        }
    )
    assert [it.name for it in settings(facts) if it.is_required] == ["shop.till.url"]
    filled = keys(PROPERTIES.replace("url=", "url=db://till"))["shop.till.url"]
    assert not filled.is_required


def test_a_key_with_a_value_is_one_although_others_begin_with_it() -> None:
    assert keys(PROPERTIES)["shop.till"].values == (("true", ()),)
