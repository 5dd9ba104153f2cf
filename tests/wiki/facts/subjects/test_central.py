"""Which symbols a subject is about."""

from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.subjects import central
from stationmaster.wiki.facts.subjects.composing import composed
from stationmaster.wiki.facts.subjects.seeds import Seed
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


def test_a_function_that_chooses_among_others_of_its_name_comes_before_them() -> None:
    read = "def get_output(script):\n" + "    script += 'a'\n" * 20 + "    return script\n"
    facts = facts_of(
        {
            "shop/readers/__init__.py": "from . import log, rerun\n\n\n"
            "def get_output(script):\n    if script:\n        return log.get_output(script)\n"
            "    return rerun.get_output(script)\n",
            "shop/readers/log.py": read,
            "shop/readers/rerun.py": read,
            **{
                f"shop/other{n}.py": f"def other{n}():\n    a = 1\n    return a\n" for n in range(9)
            },
        }
    )
    hits = vocabulary(facts).find(("output",))
    found = composed(facts, Seed("Output", ("output",)), hits)
    assert found.functions[0].path == found.starts[0].path == "shop/readers/__init__.py"
