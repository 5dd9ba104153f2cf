"""Components in one file: scripts are read on their own lines, and templates use them."""

import pytest

from stationmaster.reading.code.model import Call, Given
from tests.reading.code.reading import facts_of, leads

VUE = """<template>
  <!-- <OldCard /> -->
  <UserCard :key="id" @saved="reload" />
  <price-tag>{{ format(price) }}</price-tag>
  <p>Text of other(things)</p>
</template>
<script setup lang="ts" generic="T extends Record<string, number>">
import UserCard from "./UserCard.vue";
import PriceTag from "@/PriceTag.vue";
import OldCard from "./OldCard.vue";
import { format } from "./format";
function reload() { load(); }
</script>
<style>a { color: format(x) }</style>
"""


def test_the_script_of_a_component_is_read_on_its_own_lines() -> None:
    facts = facts_of("Vue", VUE)
    assert facts.status == "ok"
    assert facts.lines == VUE.count("\n")
    assert [(each.name, each.line) for each in facts.imports] == [
        ("./UserCard.vue", 8), ("@/PriceTag.vue", 9), ("./OldCard.vue", 10), ("./format", 11),
    ]  # fmt: skip
    assert [(each.name, each.line) for each in facts.symbols] == [("reload", 12)]


def test_a_template_uses_what_its_script_imports_or_declares() -> None:
    facts = facts_of("Vue", VUE)
    assert facts.calls == (
        Call("UserCard", 3), Call("PriceTag", 4), Call("format", 4), Call("load", 12, "", "reload"),
    )  # fmt: skip
    assert Given("reload", 3) in facts.given


@pytest.mark.parametrize(
    ("language", "text", "imports"),
    [
        ("Svelte", "<script context='module'>\nimport a from './a';\n</script>\n"
         "<script lang='ts'>import b from './b';</script>\n<A on:click={go} />\n", ["./a", "./b"]),
        ("Astro", "---\nimport Card from './Card.astro';\nconst { title } = Astro.props;\n---\n"
         "<Card />\n<script>import './client';</script>\n", ["./Card.astro", "./client"]),
        ("Vue", "<script type='application/json'>\nimport x from './x'\n</script>\n", []),
        ("Vue", "<template><p/></template>\n<script>\nimport x from './x'\n", []),
    ],
)  # fmt: skip
def test_scripts_are_told_from_what_is_none(language: str, text: str, imports: list[str]) -> None:
    assert [each.name for each in facts_of(language, text).imports] == imports


def test_imports_of_components_lead_to_the_files_that_they_use() -> None:
    found = leads({
        "src/App.vue": "<script>\nimport Card from './Card.vue';\nimport { api } from '@/api';\n"
        "</script>\n",
        "src/Card.vue": "<script></script>\n", "src/api.ts": "export const api = 1;\n",
        "package.json": "{}",
    })  # fmt: skip
    assert found == {
        ("src/App.vue", "./Card.vue"): ("src/Card.vue",),
        ("src/App.vue", "@/api"): ("src/api.ts",),
    }
