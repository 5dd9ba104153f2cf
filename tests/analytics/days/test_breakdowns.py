"""What is shown apart, against every combination of it that there is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations

from hypothesis import given, strategies as st

from stationmaster.analytics.days.breakdowns import REST, Crowd

_PRIME = 2**61 - 1
_Shown = list[tuple[Hashable, str | None]]


@st.composite
def _days(draw: st.DrawFn) -> list[tuple[str, str, str, str | None]]:
    """Rows of a small organization: user, team, agent, tool."""
    team = st.sampled_from(["red", "blue", "tiny"])
    teams = {user: draw(team) for user in "abcdefghij"[: draw(st.integers(3, 10))]}
    teams["svc_robot"] = "red"
    row = st.tuples(
        st.sampled_from([*teams]), st.sampled_from("xyz"), st.sampled_from(["t", "u", "v", None])
    )
    return [(user, teams[user], agent, tool) for user, agent, tool in draw(st.lists(row))]


@given(_days(), st.integers(2, 4))
def test_no_combination_of_all_that_is_shown_rests_on_fewer_people(
    rows: list[tuple[str, str, str, str | None]], minimum: int
) -> None:
    users, teams = [row[0] for row in rows], [row[1] for row in rows]
    agents, tools = [row[2] for row in rows], [row[3] for row in rows]
    crowd = Crowd(users, minimum)
    shown: list[_Shown] = [[("all", "all")] * len(rows)]
    by_team = crowd.split(teams, REST)
    by_agent = crowd.split(agents, REST)
    shown += [[("team", team) for team in by_team], [("agent", agent) for agent in by_agent]]
    shown.append([("tool", tool) for tool in crowd.split(tools, REST)])
    of_teams = crowd.split(tools, REST, within=by_team)
    shown.append([(("tool of", team), tool) for team, tool in zip(by_team, of_teams, strict=True)])

    sums = [*_sums(shown)]
    people = {*users} - {"svc_robot"}
    is_large = len(people) >= minimum
    for few in combinations(sorted(people), minimum - 1) if is_large else ():
        of_others = [n for n, user in enumerate(users) if user not in (*few, "svc_robot")]
        of_people = [n for n, user in enumerate(users) if user != "svc_robot"]
        # A combination that holds figures of these few alone would vanish without them.
        assert _rank(sums, of_others) == _rank(sums, of_people)


def _sums(shown: list[_Shown]) -> Iterator[list[int]]:
    """Which rows are in each figure that is shown."""
    for column in shown:
        for label in {each for each in column if each[1] is not None}:
            yield [int(each == label) for each in column]


def _rank(sums: list[list[int]], rows: Sequence[int]) -> int:
    """Of the figures, in the rows of some people alone."""
    left = [[figure[n] for n in rows] for figure in sums]
    rank = 0
    for column in range(len(rows)):
        pivot = next((row for row in left[rank:] if row[column] % _PRIME), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        inverse = pow(pivot[column], -1, _PRIME)
        for row in left[rank + 1 :]:
            factor = row[column] * inverse % _PRIME
            row[:] = [(a - factor * b) % _PRIME for a, b in zip(row, pivot, strict=True)]
        rank += 1
    return rank


def test_values_of_enough_people_beside_enough_others_are_shown() -> None:
    users = [*"abcdefgh"]
    crowd = Crowd(users, 3)
    assert crowd.split([*"rrrrbbbt"], REST) == [*"rrrr", *[REST] * 4]
    # Of the four of r two have x, of the four others two: enough beside enough.
    assert crowd.split([*"xxyyxyxy"], REST) == [*"xxyyxyxy"]


def test_what_is_all_that_is_left_of_a_total_keeps_its_name() -> None:
    assert Crowd([*"abc"], 3).split([*"xxx"], REST) == [*"xxx"]
    crowd = Crowd([*"abcdef"], 3)
    assert crowd.split([*"xxxyyy"], REST) == [*"xxxyyy"]
    assert crowd.split([*"mmmnno"], REST, within=[*"xxxyyy"]) == [*"mmm", *[REST] * 3]


def test_who_differs_from_a_shown_value_by_few_is_not_shown() -> None:
    crowd = Crowd([*"abcdefgh"], 3)
    assert crowd.split([*"rrrrbbbb"], REST) == [*"rrrrbbbb"]
    assert crowd.split([*"xxxyyyyy"], REST) == [REST] * 8, "r less x would be d alone"


def test_a_rest_that_stands_beside_rows_in_no_list_is_of_enough_people() -> None:
    crowd = Crowd([*"abcdefgh"], 3)
    assert crowd.split(["s", "s", None, None, None, None, None, None], REST) == [None] * 8
    assert crowd.split(["s", "s", "t", None, None, None, None, None], REST) == [
        *[REST] * 3,
        *[None] * 5,
    ]


def test_programs_are_no_people_and_some_values_are_never_shown() -> None:
    crowd = Crowd(["a", "b", "svc_c", "d", "e", "svc_f"], 2)
    assert crowd.split(["x", "svc", "x", "y", "y", "z"], REST, never=("y",)) == [REST] * 6
    assert crowd.is_large
    assert not Crowd(["a", "svc_b"], 2).is_large
