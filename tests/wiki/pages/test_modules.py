"""Which modules have a page."""

from tests.wiki.pages.shops import FILES, pages


def test_translations_are_one_module_without_a_page() -> None:
    words = "<?php\nreturn [\n" + "    'a' => 'Words',\n" * 250 + "];\n"
    texts = {f"lang/{own}{n}/{name}.php": words for own in "ab" for n in range(15)
             for name in ("forms", "mail", "setup")}  # fmt: skip
    told = pages({**FILES, **texts})
    assert not [key for key in told if key.startswith("modules/lang")]
    assert "| lang | 90 |" in told["architecture"]
    assert "modules/cart" in told
