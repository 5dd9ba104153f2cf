"""Setters of configuration classes."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

CONFIG = """package org.shop;
public class TillConfig implements TillBean {
  /** Set the rows of a page. */
  public void setRows(int rows) { }
  /** {@inheritDoc} */
  @Override public void setTitle(final String title) { }
  public void setOpen(boolean open) { }
  public void setCoins(Map<String, Long> coins) { }
  @Deprecated public void setOld(int old) { }
  public void setBoth(int one, int two) { }
  void setHidden(int hidden) { }
  public void setLast(long last) { }
}
"""
FILES = {
    "pom.xml": "<project><groupId>org.shop</groupId><artifactId>till</artifactId></project>",
    "src/main/java/org/shop/TillConfig.java": CONFIG,
    "src/main/java/org/shop/TillBean.java": "package org.shop;\npublic interface TillBean {\n"
    "  /** Set how the till is called. */\n  void setTitle(String title);\n}\n",
}


def test_setters_of_a_library_are_settings_with_their_types_and_inherited_comments() -> None:
    found = settings(facts_of(FILES))
    assert {it.name: (it.doc, it.type, it.declared[0][1]) for it in found} == {
        "TillConfig.coins": ("", "Map<String, Long>", 8),
        "TillConfig.last": ("", "long", 12),
        "TillConfig.open": ("", "boolean", 7),
        "TillConfig.rows": ("Set the rows of a page.", "int", 4),
        "TillConfig.title": ("Set how the till is called.", "String", 6),
    }


def test_a_class_that_a_framework_fills_has_none() -> None:
    managed = CONFIG.replace("public class", "@Configuration public class")
    assert not settings(facts_of({**FILES, "src/main/java/org/shop/TillConfig.java": managed}))


def test_neither_a_class_without_comments_nor_one_that_the_product_fills_itself_has_any() -> None:
    bare = CONFIG.replace("/** Set the rows of a page. */", "").replace("implements TillBean ", "")
    assert not settings(facts_of({**FILES, "src/main/java/org/shop/TillConfig.java": bare}))
    filling = (
        "package org.shop;\nclass Request {\n  TillConfig read(Map<String, String> it) {\n"
        "    TillConfig config = new TillConfig();\n    config.setRows(it.get(1));\n"
        "    config.setTitle(it.get(2));\n    config.setLast(it.get(3));\n"
        "    return config;\n  }\n}\n"
    )
    assert not settings(facts_of({**FILES, "src/main/java/org/shop/Request.java": filling}))


def test_those_of_what_a_method_has_spring_fill_are_keys() -> None:
    contents = {
        **FILES,
        "src/main/java/org/shop/PageProperties.java": "package org.shop;\n"
        "public class PageProperties {\n"
        "  public void setRowCount(int rowCount) { }\n}\n",
        "src/main/java/org/shop/Beans.java": "package org.shop;\n"
        "import org.springframework.boot.context.properties.ConfigurationProperties;\n"
        "class Beans {\n"
        '  @ConfigurationProperties(prefix = "shop.page")\n  @Bean\n'
        "  public static PageProperties page() { return new PageProperties(); }\n"
        '  @Bean\n  @ConfigurationProperties("shop.till")\n'
        "  TillConfig till() { return new TillConfig(); }\n}\n",
    }
    names = {it.name for it in settings(facts_of(contents))}
    assert {"shop.page.row-count", "shop.till.rows"} <= names
    assert not [it for it in names if it.startswith(("TillConfig", "PageProperties"))]
