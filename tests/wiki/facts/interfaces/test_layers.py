"""What requests pass through around their handlers."""

from stationmaster.wiki.facts.interfaces.layers import layers
from tests.wiki.commits import facts_of


def test_a_filter_of_another_package_than_servlets_is_nothing_around_handlers() -> None:
    facts = facts_of({
        "log.py": "import logging\n\n\nclass Quiet(logging.Filter):\n    pass\n",
        "src/A.php": "<?php\nuse Happyr\\DoctrineSpecification\\Filter\\Filter;\n\n"
        "class Own implements Filter {}\n",
        "src/Door.java": "import jakarta.servlet.Filter;\n\nclass Door implements Filter {\n}\n",
    })  # fmt: skip
    assert [it.words for it in layers(facts)] == ["Door"]
