from __future__ import annotations

import resource
import time

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import (
    DEPTH_MAX,
    NODES_MAX,
    SIZE_MAX,
    Documents,
    Fault,
    Mapping,
    Scalar,
    Sequence,
    get,
    items,
    members,
    read,
    text,
    texts,
)


def read_text(given: str | bytes, *, merges: bool = True) -> Documents:
    return read(given.encode() if isinstance(given, str) else given, merges=merges)


def root(given: str | bytes) -> yaml_nodes.Node:
    return read_text(given).roots[0]


@pytest.mark.parametrize(
    "word", ["on", "yes", "0755", "12:30", "2026-11-20", "1e3", "True", "0x1f"]
)
def test_a_scalar_is_the_text_that_stands_there(word: str) -> None:
    node = root(f"{word}: {word}\n")

    assert list(members(node)) == [word]
    assert text(get(node, word)) == word


def test_what_is_empty_or_null_has_no_text_unless_it_is_quoted() -> None:
    node = root("a:\nb: ~\nc: null\nd: ''\ne: 'null'\n")

    assert [text(each) for each in members(node).values()] == [None, None, None, "", "null"]


def test_texts_of_a_list_leave_out_what_is_no_text() -> None:
    node = root("one: a\nmany: [a, [b], {c: d}, ~, e]\n")

    assert texts(get(node, "one")) == ["a"]
    assert texts(get(node, "many")) == ["a", "e"]
    assert texts(get(node, "none")) == []


def test_a_path_through_what_is_no_mapping_leads_nowhere() -> None:
    node = root("a: [b]\n")

    assert get(node, "a", "b", "c") is None
    assert (items(get(node)), members(get(node, "a"))) == ([], {})


def test_an_alias_is_the_node_it_names() -> None:
    node = root("a: &x [1, 2]\nb: *x\n")

    assert get(node, "b") is get(node, "a")


@pytest.mark.parametrize(
    ("merging", "found"),
    [
        ("<<: *a\nx: own", {"x": "own", "y": "a"}),
        ("x: own\n<<: *a", {"x": "own", "y": "a"}),
        ("<<: [*a, *b]", {"x": "a", "y": "a", "z": "b"}),
        ("<<: *a\n<<: *b", {"x": "a", "y": "a", "z": "b"}),
    ],
)
def test_a_merge_key_brings_members_that_own_ones_override(
    merging: str, found: dict[str, str]
) -> None:
    indented = merging.replace("\n", "\n  ")
    node = root(f"a: &a {{x: a, y: a}}\nb: &b {{x: b, z: b}}\nc:\n  {indented}\n")

    merged = {key: text(value) for key, value in members(get(node, "c")).items()}

    assert merged == found


def test_without_merges_the_key_is_one_like_others() -> None:
    node = read_text("a: &a {x: 1}\nb:\n  <<: *a\n", merges=False).roots[0]

    assert list(members(get(node, "b"))) == ["<<"]


def test_a_merge_of_what_has_no_members_is_told_and_skipped() -> None:
    found = read_text("a: &a [{x: 1}]\nb:\n  - <<: *a\n    y: 2\n  - <<: no\n")

    assert [list(members(each)) for each in items(get(found.roots[0], "b"))] == [["x", "y"], []]
    assert [fault.reason for fault in found.faults] == [
        "a merge of something that is not a mapping"
    ]


def test_a_key_that_stands_there_twice_is_told_with_its_place_and_the_last_counts() -> None:
    found = read_text("a: 1\nb: 2\na: 3\n")

    assert text(get(found.roots[0], "a")) == "3"
    (fault,) = found.faults
    assert (fault.reason, fault.line, fault.column) == ("the key 'a' is a duplicate", 3, 1)


def test_a_key_that_is_no_text_is_told_and_left_out() -> None:
    found = read_text("[a, b]: 1\nc: 2\n")

    assert list(members(found.roots[0])) == ["c"]
    assert [fault.reason for fault in found.faults] == ["a key is not text"]


def test_tags_of_any_kind_are_kept_and_applied_to_nothing() -> None:
    node = root("a: !reference [x, script]\nb: !!python/object:os.system 1\nc: !Sub {d: e}\n")

    kinds = [(type(each), each.tag) for each in members(node).values()]
    assert kinds == [
        (Sequence, "!reference"),
        (Scalar, "tag:yaml.org,2002:python/object:os.system"),
        (Mapping, "!Sub"),
    ]


def test_documents_that_hold_nothing_are_left_out() -> None:
    assert [text(each) for each in read_text("---\n# note\n---\na\n---\n---\nb\n").roots] == [
        "a",
        "b",
    ]
    assert read_text("# only a note\n").roots == []
    assert read_text("").roots == []


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffa: b\r\nc: d\r\n".encode(),
        "a: b\nc: d\n".encode("utf-16"),
        "\ufeffa: b\nc: d\n".encode("utf-16-be"),
    ],
)
def test_byte_order_marks_and_windows_line_ends_are_read(data: bytes) -> None:
    assert {key: text(value) for key, value in members(root(data)).items()} == {"a": "b", "c": "d"}


def test_bytes_that_are_not_utf_8_are_told_with_their_place_and_read_on() -> None:
    found = read_text(b"a: b\nname: Pr" + b"\xfcf\n")

    assert text(get(found.roots[0], "name")) == "Pr\ufffdf"
    assert [(f.reason, f.line, f.column) for f in found.faults] == [("the file is not UTF-8", 2, 9)]


@pytest.mark.parametrize(
    ("given", "reason", "line", "column"),
    [
        ("a: b\n\tc: d\n", "tab", 2, 1),
        ("a: [b\n", "did not find", 2, 1),
        ("a: {{ b }}: c\n", "not allowed", 1, 11),
        ("a: *b\n", "the alias *b names nothing", 1, 4),
        ("a: &b [*b]\n", "the alias *b refers to itself", 1, 8),
        ("a: b\nc: \x00\n", "control characters are not allowed", 2, 4),
        ("a: ü\nc: \x07\n", "control characters are not allowed", 2, 4),
        ("a: b: c\n", "not allowed", 1, 5),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(
    given: str, reason: str, line: int, column: int
) -> None:
    with pytest.raises(Fault) as wrong:
        read_text(given)

    assert reason in wrong.value.reason
    assert (wrong.value.line, wrong.value.column) == (line, column)


def _bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    return "\n".join(lines)


def _merge_bomb() -> str:
    lines = ["a0: &a0 {x: y, z: [1, 2, 3]}"]
    lines += [f"a{n}: &a{n} {{<<: *a{n - 1}, k: *a{n - 1}, l: *a{n - 1}}}" for n in range(1, 40)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (_bomb(), "the aliases of the file expand to too much"),
        (_merge_bomb(), "the aliases of the file expand to too much"),
        ("[" * 1_000_000, "the file is nested too deeply"),
        ("- " * 1_000_000, "the file is nested too deeply"),
        ("{a: " * 500_000, "the file is nested too deeply"),
        ("- a\n" * 1_000_000, f"the file has more than {NODES_MAX} values"),
        ("---\na\n" * 500_000, f"the file has more than {NODES_MAX} values"),
        ("x" * (SIZE_MAX + 1), f"the file is larger than {SIZE_MAX} bytes"),
        ("".join(f"%TAG !a{n}! x:y\n" for n in range(100_000)), "the file has too many directives"),
    ],
    ids=["aliases", "merges", "flow", "block", "maps", "values", "documents", "size", "directives"],
)
def test_a_file_that_would_cost_too_much_is_refused_soon(given: str, reason: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()

    with pytest.raises(Fault) as wrong:
        read_text(given)

    assert wrong.value.reason == reason
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_a_deep_but_bearable_nesting_is_read() -> None:
    assert read_text("[" * DEPTH_MAX + "]" * DEPTH_MAX).faults == []


_PIECES = st.sampled_from(
    ["a", "- ", ": ", "\n", "  ", "&x ", "*x", "<<: ", "[", "]", "{", "}", "!t ", "|\n", "'", '"',
     "#", "---\n", "? ", "%", "\t", "\x00", "ü", "\\x00", ">-\n", ",", "...\n"]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=400), st.lists(_PIECES, max_size=60).map("".join)))
@settings(max_examples=400)
def test_any_bytes_are_nodes_or_a_fault(given: bytes | str) -> None:
    try:
        faults = read_text(given).faults
    except Fault as fault:
        faults = [fault]
    assert all(each.reason and (each.line is None or each.line > 0) for each in faults)
