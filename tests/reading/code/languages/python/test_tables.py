"""Which classes of SQLAlchemy are tables."""

import pytest

from tests.reading.code.reading import facts_of


def test_a_class_below_object_alone_only_gives_its_columns_to_others() -> None:
    facts = facts_of(
        "Python",
        """
        from shop.database import db
        class Keyed(object):
            id = db.Column(db.Integer, primary_key=True)
    """,
    )
    assert [(it.name, it.kind) for it in facts.entities] == [("Keyed", "base")]


@pytest.mark.parametrize(
    ("target", "columns"),
    [
        ("settings.AUTH_USER_MODEL", []),
        ("get_user_model()", []),
        ("'auth.User'", ["post_id", "user_id"]),
        ("users.User", ["post_id", "user_id"]),
    ],
)
def test_a_table_between_two_models_is_known_where_the_other_one_is(
    target: str, columns: list[str]
) -> None:
    facts = facts_of(
        "Python",
        "from django.db import models\nclass Post(models.Model):\n"
        f"    title = models.TextField()\n    liked = models.ManyToManyField({target})\n",
    )
    joint = [it for it in facts.entities if it.kind == "joint"]
    assert [column.name for it in joint for column in it.columns] == columns
