"""Settings whose keys are members of an enum."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

ENUM = """namespace Shop;

public enum ShopSettingKey
{
    /// <summary>
    /// How often the till is counted.
    /// </summary>
    [Description("TaskCount")]
    TaskCount = 0,
    /// <summary>Whether it is open.</summary>
    [Obsolete("No longer")]
    Open = 1,
    License = 2,
    Rows = 3,
}
"""
SEED = """namespace Shop;
public class Seed {
    static List<Setting> All = [
        new() {Key = ShopSettingKey.TaskCount, Value = "daily"},
        new() {Key = ShopSettingKey.Rows, Value = string.Empty},
        new() {Key = ShopSettingKey.Open, Value = Made.Of()},
        new() {Key = OtherKey.Rows, Value = "5"},
    ];
}
"""
USE = """namespace Shop;
public class Use {
    public void Run() {
        var rows = _settings.GetSettingAsync(ShopSettingKey.Rows).Value;
        Show(ShopSettingKey.License);
    }
}
"""


def test_members_have_comments_first_values_and_the_places_that_ask_for_them() -> None:
    found = settings(facts_of({"Keys.cs": ENUM, "Seed.cs": SEED, "Use.cs": USE}))
    assert {
        it.name: (it.doc, it.default, it.declared, it.reads[1:], it.set_at) for it in found
    } == {
        "ShopSettingKey.TaskCount": (
            "How often the till is counted.",
            "daily",
            (("Keys.cs", 9),),
            (),
            (("Seed.cs", 4),),
        ),
        "ShopSettingKey.Open": (
            "Obsolete. Whether it is open.",
            None,
            (("Keys.cs", 12),),
            (),
            (("Seed.cs", 6),),
        ),
        "ShopSettingKey.License": ("", None, (("Keys.cs", 13),), (), ()),
        "ShopSettingKey.Rows": (
            "",
            "",
            (("Keys.cs", 14),),
            (("Use.cs", 4),),
            (("Seed.cs", 5),),
        ),
    }
