"""Notes that documents set apart."""

from __future__ import annotations

import pytest

from stationmaster.wiki.text.notes import in_words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('!!! danger "Keys"\n    Keep them.\n\n    Always.\nMore.',
         "**Danger (Keys):** Keep them.\n\nAlways.\nMore."),
        ("!!! note\n\n    Open.", "**Note:** Open."),
        ("??? tip inline end\n    ```\n    !!! note\n    ```",
         "**Tip:**\n\n```\n!!! note\n```"),
        ("> [!WARNING]\n> It is\n> hot.", "> **Warning:** It is\n> hot."),
        ("!!! success\nOpen.", "**Success:** Open."),
        ("```\n!!! note\n    a\n```", "```\n!!! note\n    a\n```"),
        ("!!! are three signs.", "!!! are three signs."),
    ],
)  # fmt: skip
def test_a_note_begins_with_what_kind_it_is(written: str, words: str) -> None:
    assert "\n".join(in_words(written.split("\n"))) == words
