"""A whole wiki of a repository full of secrets and instructions, with a model that repeats them."""

from __future__ import annotations

import json
from pathlib import Path

from stationmaster.repos.reading import open_path
from stationmaster.wiki.checks import links
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making.generate import generate
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.outputs import github_wiki, layouts, llms
from stationmaster.wiki.prose import writing
from tests.wiki.canaries import plant
from tests.wiki.prose.models import Asked, Says, said, serving
from tests.wiki.prose.wikis import LIMITS, at_once, model, planned

COMMIT = Commit("c" * 40, 0, None, "https://github.com/o/canaries", "canaries")


def repeating(asked: Asked) -> Says:
    """A sentence that holds, and then every line as it is."""
    lines = asked.data["lines"]
    good = ("This is what there is to know of it in the code.", [lines[0]["id"]])
    return said(good, *((each["text"], [each["id"]]) for each in lines[:10]))


def everything(asked: Asked) -> Says:
    return Says(json.dumps({"stands": [each["id"] for each in asked.data["sentences"]]}))


def test_secrets_reach_no_prompt_and_no_output_pages_stay_and_links_lead_somewhere(
    tmp_path: Path,
) -> None:
    repository, canaries = plant(tmp_path / "canaries")
    with open_path(repository.path, None) as snapshot:
        plain = generate(snapshot, COMMIT, Nothing(), for_model=True)
    with serving(model(repeating, lambda asked: planned(asked, 12), everything)) as server:
        done = writing.write(plain, server.endpoint(), LIMITS, Nothing(), sleep=at_once)

    assert done.wiki.stats["modelSentences"] > 0
    bodies = {page.key: page.body for page in done.wiki.pages}
    for before in plain.pages:
        assert before.key == "index" or bodies[before.key] == before.body
    told = [json.dumps(asked.body, ensure_ascii=False) for asked in server.asked]
    for files in (
        layouts.plain(done.wiki.pages, None),
        github_wiki.files(done.wiki.pages, None, github_wiki.About(COMMIT.hash)),
    ):
        texts = {name: content.decode() for name, content in files.items()}
        assert (
            links.check({name: texts[name] for name in texts if name != llms.NAME}).problems == ()
        )
        told += texts.values()
    bare = "\n".join(told).replace("\\", "")
    assert [each.kind for some in canaries for each in some if each.secret in bare] == []
