"""Declarations of one name of which a compiler takes one."""

import pytest

from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.steps.twins import conditions_of, twins
from tests.wiki.commits import facts_of

RUST = """#[cfg(target_family = "windows")]
pub fn size(path: &Path) -> u64 {
    let file = open(path);
    file.size()
}

#[cfg(target_family = "unix")]
#[inline]
pub fn size(path: &Path) -> u64 {
    path.blocks()
}

#[cfg(not(any(unix, windows)))]
pub fn size(path: &Path) -> u64 {
    log();
    log();
    0
}
"""
C = """#ifndef SHOP_H
#define SHOP_H
long size(const char *path);
#ifdef _WIN32  // Windows
long size(const char *path) {
    open(path);
    return 1;
}
#else
long size(const char *path) {
    return 0;
}
#endif
int price(void) {
    return 1;
}
#endif
"""


@pytest.mark.parametrize(
    ("path", "text", "line", "stated", "others"),
    [
        ("src/size.rs", RUST, 9, '#[cfg(target_family = "unix")]',
         ['#[cfg(target_family = "windows")]', "#[cfg(not(any(unix, windows)))]"]),
        ("src/size.c", C, 10, "#else of #ifdef _WIN32", ["#ifdef _WIN32"]),
    ],
)  # fmt: skip
def test_of_twins_that_for_unix_is_shown_with_its_condition(
    path: str, text: str, line: int, stated: str, others: list[str]
) -> None:
    facts = facts_of({path: text})
    symbol = symbol_of(facts, path, "size")
    assert symbol is not None
    assert symbol.line == line
    assert conditions_of(facts, path)[line] == stated
    assert [it.condition for it in twins(facts, path, "size", line)] == others


def test_twins_of_go_are_in_files_for_several_systems() -> None:
    body = "package shop\n\nfunc size() int {\n\treturn 1\n}\n"
    files = {"size_windows.go": body, "size_other.go": f"//go:build !windows\n\n{body}"}
    facts = facts_of({**files, "shop.go": "package shop\n\nfunc price() int {\n\treturn 1\n}\n"})
    (other,) = twins(facts, "size_other.go", "size", 5)
    assert conditions_of(facts, "size_other.go") == {5: "//go:build !windows"}
    assert (other.place.path, other.condition) == ("size_windows.go", "GOOS=windows")
    assert conditions_of(facts, "shop.go") == {}
