"""Tables that structs of Go stand for."""

import pytest

from tests.reading.code.reading import facts_of


@pytest.mark.parametrize(
    ("field", "columns"),
    [
        ("Friends []*User", ["user_id", "friend_id"]),
        ("User []User", ["user_id", "user_id_reference"]),
        ("Cards []Card", ["user_id", "card_id"]),
    ],
)
def test_the_columns_between_a_struct_and_itself_have_names_of_their_own(
    field: str, columns: list[str]
) -> None:
    text = f'package models\ntype User struct {{\n{field} `gorm:"many2many:ties"`\n}}\n'
    facts = facts_of("Go", text)
    joint = [it for it in facts.entities if it.kind == "joint"]
    assert [[column.name for column in it.columns] for it in joint] == [columns]


def test_a_field_that_no_other_package_sees_is_no_column() -> None:
    text = (
        'package models\ntype Till struct {\nID int64 `xorm:"pk"`\nsum int\nOpen, shut bool\n'
        'events []string `xorm:"-"`\n}\n'
    )
    (till,) = facts_of("Go", text).entities
    assert [it.name for it in till.columns] == ["id", "open"]
