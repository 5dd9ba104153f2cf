from stationmaster.wiki.text.inline import Md, among, code, table_row, text
from stationmaster.wiki.text.page import COLUMNS_MAX, LINES_MAX, ROWS_MAX, Page
from tests.wiki.commits import facts_of


def test_a_heading_below_which_nothing_stands_is_left_out() -> None:
    page = Page(facts_of({}), "index", "Shop")
    page.section("Tables", intro="All of them:")
    page.table(("Table",), [])
    page.section("Jobs")
    page.section("Scheduled", 3)
    page.section("Queued", 3, "By name:")
    page.items(["mail"])
    page.text("The end.")
    page.section("Settings")

    assert page.body() == "# Shop\n\n## Jobs\n\n### Queued\n\nBy name:\n\n- mail\n\nThe end.\n"


def test_some_of_a_list_tell_how_many_more_there_are() -> None:
    names = [code("a"), code("b")]

    assert among(names, 2) == "`a`, `b`"
    assert among(names, 5) == "`a`, `b` and 3 more"


def test_columns_that_do_not_fit_are_in_a_second_table_behind_the_first_column() -> None:
    page = Page(facts_of({}), "index", "Shop")

    page.table([f"h{at}" for at in range(COLUMNS_MAX + 1)], [list(range(COLUMNS_MAX + 1))])

    first, second = page.body().split("\n\n")[1:]
    assert first.splitlines()[-1] == "| 0 | 1 | 2 | 3 | 4 | 5 |"
    assert second == "| h0 | h6 |\n| --- | --- |\n| 0 | 6 |\n"


def test_rows_that_do_not_fit_are_on_further_pages_that_both_sides_name() -> None:
    page = Page(facts_of({}), "data/tables", "Tables")

    page.table(("Table",), [(f"t{number}",) for number in range(2 * ROWS_MAX + 1)])

    second, third = page.further
    assert (second.key, third.key) == ("data/tables-2", "data/tables-3")
    assert "(tables-2.md) and [Tables (3)](tables-3.md)" in page.body()
    bodies = [one.body() for one in (page, second, third)]
    rows = [line for body in bodies for line in body.splitlines() if line.startswith("| t")]
    assert rows == [f"| t{number} |" for number in range(2 * ROWS_MAX + 1)]


def test_points_that_do_not_fit_are_on_further_pages_and_none_is_lost() -> None:
    page = Page(facts_of({}), "gaps", "Gaps")

    page.table(("Table",), [(f"t{number}",) for number in range(ROWS_MAX + 1)])
    page.items(f"p{number}" for number in range(LINES_MAX + 1))

    assert [one.key for one in page.further] == ["gaps-2", "gaps-3"]
    assert "These are the first 200 of 201; the others are on [Gaps (3)](gaps-3.md)." in page.body()
    assert page.further[1].body() == "# Gaps (3)\n\nThis page continues Gaps.\n\n- p200\n"


def test_a_bar_in_code_of_a_table_is_escaped_behind_any_sign() -> None:
    cells = [code("grep 'a\\|b' | c"), text("a | b\\"), Md("plain | `` a`|` ``")]
    assert table_row(cells) == ("| `grep 'a\\\\|b' \\| c` | a \\| b\\\\ | plain \\| `` a`\\|` `` |")
