"""Which symbols a subject is about."""

from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.subjects import central
from tests.wiki.commits import facts_of

BODY = "        a = 1\n        b = 2\n        return a + b\n" * 20
MORE = "x = 1\n" * 250
FILES = {
    "shop/mail/subscriber.py": f"class Subscriber:\n    def tell(self):\n{BODY}",
    "shop/mail/service.py": "from shop.mail.subscriber import Subscriber\n\n"
    f"class SubscriberService:\n    def send(self):\n{BODY}{MORE}",
    "shop/console/subscribers.py": "from shop.console.base import Base\n\n"
    f"class CommandSubscriber(Base):\n    def run(self):\n{BODY}{MORE}",
    "shop/console/base.py": "class Base:\n    pass\n",
    "shop/sales/demo_subscribers.py": f"class DemoSubscriber:\n    def seed(self):\n{BODY * 3}",
    **{f"shop/other{n}.py": f"def other{n}():\n    a = 1\n    return a\n" for n in range(9)},
}


def test_a_word_means_the_group_of_files_that_use_each_other() -> None:
    facts = facts_of(FILES)
    hits = vocabulary(facts).find(("subscrib",))
    first = [hit.spot.name for hit in hits if hit.spot.path.startswith(("shop/mail", "shop/con"))]
    assert "CommandSubscriber" in first
    types = [hit.spot.name for hit in hits if "." not in hit.spot.name]
    assert types.index("DemoSubscriber") > types.index(
        "CommandSubscriber"
    )  # It demonstrates the product.
    paths = {hit.spot.path for hit in central.touching(facts, hits)}
    assert "shop/mail/service.py" in paths
    assert "shop/console/subscribers.py" not in paths
    named = central.touching(facts, hits, ["CommandSubscriber"])
    assert "CommandSubscriber" in {hit.spot.name for hit in named}
