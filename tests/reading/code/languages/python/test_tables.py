"""Which classes of SQLAlchemy are tables."""

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
