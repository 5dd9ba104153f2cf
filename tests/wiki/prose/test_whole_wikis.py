"""A whole wiki of a repository full of secrets and instructions, with a model that obeys them."""

from __future__ import annotations

import json
from pathlib import Path

from stationmaster.repos.reading import open_path
from stationmaster.wiki.checks import links
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.generate import generate
from stationmaster.wiki.memo import Nothing
from stationmaster.wiki.outputs import folder, github_wiki, llms
from stationmaster.wiki.prose.enrich import enrich
from tests.wiki.canaries import plant
from tests.wiki.prose.models import Asked, Says, said, serving
from tests.wiki.prose.test_enrich import LIMITS, at_once, obedient, shape

COMMIT = Commit("c" * 40, 0, None, "https://github.com/o/canaries", "canaries")


def answer(asked: Asked) -> Says:
    """What holds on any page first, then everything that the repository asks for."""
    title, first = asked.data["page"], asked.data["facts"][0]["id"]
    told = json.loads(obedient(asked).text)["sentences"][:3]
    rest = [(each["text"], each["cites"]) for each in told]
    good = [(f"This is what there is to know of `{title}`.", [first])] * 3
    return said(asked.slot, *good, *rest)


def test_secrets_reach_no_prompt_and_no_output_the_structure_stays_and_links_lead_somewhere(
    tmp_path: Path,
) -> None:
    repository, canaries = plant(tmp_path / "canaries")
    with open_path(repository.path, None) as snapshot:
        plain = generate(snapshot, COMMIT, Nothing())
    with serving(answer) as server:
        done = enrich(plain, server.endpoint(), LIMITS, Nothing(), sleep=at_once)

    assert done.wiki.stats["modelAccepted"] > 0
    assert [page.key for page in done.wiki.pages] == [page.key for page in plain.pages]
    for before, after in zip(plain.pages, done.wiki.pages, strict=True):
        assert shape(after.body) == shape(before.body)
        assert "evil" not in after.body
    told = [json.dumps(asked.body, ensure_ascii=False) for asked in server.asked]
    for files in (
        folder.files(done.wiki.pages, None),
        github_wiki.files(done.wiki.pages, None, github_wiki.About(COMMIT.hash)),
    ):
        texts = {name: content.decode() for name, content in files.items()}
        assert (
            links.check({name: texts[name] for name in texts if name != llms.NAME}).problems == ()
        )
        told += texts.values()
    bare = "\n".join(told).replace("\\", "")
    assert [each.kind for some in canaries for each in some if each.secret in bare] == []
