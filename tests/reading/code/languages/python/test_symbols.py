from __future__ import annotations

from functools import partial

from stationmaster.reading.code.model import Symbol
from tests.reading.code.reading import facts_of, symbol

python = partial(facts_of, "Python")


def test_declarations_have_their_containers_documents_bases_and_marks() -> None:
    facts = python('''
        """Billing. It is long."""
        LIMIT: int = 10
        _hidden = 1

        @dataclass(frozen=True)
        class Invoice(Base, Generic[T], metaclass=Meta):
            """What is owed. More of it."""

            def total(self, *, tax: float = 0.2) -> float:
                def add(x): ...
                return add(1)

            @property
            def paid(self) -> bool: ...

        class Colour(enum.Enum):
            RED = 1

        async def _send(): ...
    ''')
    assert facts.status == "ok"
    assert facts.doc == "Billing."
    assert symbol(facts, "LIMIT") == Symbol("LIMIT", "constant", 3, 3, signature="LIMIT: int")
    invoice = symbol(facts, "Invoice")
    assert (invoice.kind, invoice.doc) == ("class", "What is owed.")
    assert (invoice.bases, invoice.marks) == (("Base", "Generic[T]"), ("dataclass",))
    total = symbol(facts, "Invoice.total")
    assert (total.kind, total.container, total.line, total.end) == ("method", "Invoice", 10, 12)
    assert total.signature == "def total(self, *, tax: float = 0.2) -> float"
    assert not symbol(facts, "Invoice.total.add").is_public
    assert symbol(facts, "Invoice.paid").kind == "property"
    assert symbol(facts, "Colour").kind == "enum"
    assert not symbol(facts, "_send").is_public
    assert not symbol(facts, "_hidden").is_public


def test_imports_say_how_much_they_weigh() -> None:
    facts = python("""
        import os.path, numpy as np
        from typing import TYPE_CHECKING
        from . import models
        from ..core.auth import login as enter, User
        from shop import *
        if TYPE_CHECKING:
            from shop.types import Kind
        def later():
            import json
    """)
    told = {(each.name, each.level): each for each in facts.imports}
    assert told["os.path", 0].bound == ("os",)
    assert told["numpy", 0].bound == ("np",)
    assert told["", 1].names == ("models",)
    assert told["core.auth", 2].names == ("login", "User")
    assert told["core.auth", 2].bound == ("enter", "User")
    assert told["shop", 0].names == ("*",)
    assert told["shop.types", 0].kind == "type"
    assert told["json", 0].kind == "lazy"


def test_calls_know_who_calls() -> None:
    facts = python("""
        class Cart:
            def add(self):
                self.check(1)
        setup()
    """)
    assert [(each.name, each.of, each.caller, each.line) for each in facts.calls] == [
        ("check", "self", "Cart.add", 4),
        ("setup", "", "", 5),
    ]
