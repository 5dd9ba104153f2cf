"""What documents state that has to be there."""

from __future__ import annotations

from stationmaster.wiki.facts.texts import needs
from tests.wiki.commits import facts_of

README = """\
# Till

## Running it

> [!WARNING]
> Make sure that Docker is started

This requires JDK 21 or newer and Maven. Go to the next section.
Requests to it require a token.

```sh
# You need Redis
mvn test
```

## Tests

To run them you need the package `pkg-config` and a printer. They print a page each,
which takes a while.
"""


def test_sentences_that_name_what_has_to_be_installed_are_quoted_and_no_others() -> None:
    facts = facts_of({"README.md": README, "pom.xml": "<project/>"})
    assert [(it.sentence, it.place.line) for it in needs.sentences_on_needs(facts)] == [
        ("Make sure that Docker is started", 6),
        ("This requires JDK 21 or newer and Maven.", 8),
        ("To run them you need the package pkg-config and a printer.", 18),
    ]
