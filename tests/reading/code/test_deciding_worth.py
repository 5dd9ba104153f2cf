"""Which lines of a function are shown before others."""

from __future__ import annotations

from tests.reading.code.test_deciding import shown


def test_what_is_written_to_a_database_comes_before_checks_and_a_long_record_is_cut() -> None:
    record = ["        $row = $this->DB->log()->createRow(["]
    record += [f"            'field{n}' => $entry->field{n}," for n in range(12)]
    checks = [
        line
        for n in range(20)
        for line in (f"    if ($amount < {n}) {{", f"        throw new Exception('{n}');", "    }")
    ]
    lines = [
        "function pay($amount) {", *checks, "    foreach ($entries as $entry) {", *record,
        "        ]);", "        $row->save();", "        $entry->delete();", "    }",
        *checks, "    return $sum;", "}",
    ]  # fmt: skip
    found = shown(lines)
    assert {record[0].strip(), "$row->save();", "$entry->delete();"} <= set(found)
    assert len([line for line in found if "field" in line]) < 3


def test_the_arms_of_a_comparison_are_shown_before_those_of_an_order() -> None:
    series = [f"                series{n}: series," for n in range(6)]
    lines = [
        "fn operations(diffs: Vec<Diff>) -> Vec<Operation> {",
        "    let mut operations = diffs",
        "        .map(|diff| match (diff.local, diff.remote) {",
        "            (Some(local), Some(remote)) => match local.cmp(&remote) {",
        "                Ordering::Greater => Operation::Upload {", *series, "                },",
        "                Ordering::Less => Operation::Download {", *series, "                },",
        "            },",
        "        })",
        "        .collect();",
        "    operations.sort_by_key(|it| match it {",
        *[f"        Operation::Kind{n} {{ series }} => ({n}, series.host)," for n in range(30)],
        "    });",
        "    operations",
        "}",
    ]  # fmt: skip
    found = shown(lines)
    assert "Ordering::Greater => Operation::Upload {" in found
    assert "Ordering::Less => Operation::Download {" in found


def test_what_a_loop_does_with_each_item_is_shown() -> None:
    checks = [line for n in range(20) for line in (f"    if till.is{n}:", f"        count({n})")]
    lines = ["def pay(till):", *checks, "    for step in till.steps:", *["        a = 1"] * 4]
    lines += ["        wait(step.run(till))", *["        a = 1"] * 4, *checks, "    return till"]
    assert "wait(step.run(till))" in shown(lines)


def test_a_text_of_sql_is_shown() -> None:
    query = [
        '    rows = till.query("""',
        "        SELECT coin FROM coins",
        "        WHERE till = 1",
    ]
    lines = ["def pay(till):", *["    a = 1"] * 50, *query, '    """)', *["    a = 1"] * 50]
    assert [line.strip() for line in query] == [it for it in shown(lines) if it != '""")'][:3]


def test_what_sets_a_name_that_is_decided_on_is_shown_where_there_is_room() -> None:
    lines = [
        "def pay(till):",
        *["    a = 1"] * 20,
        "    is_late = clock > noon",
        *["    b = 2"] * 20,
    ]
    lines += ["    if is_late:", "        raise ClosedError", *["    a = 1"] * 20]
    assert shown(lines) == ["is_late = clock > noon", "if is_late:", "raise ClosedError"]
