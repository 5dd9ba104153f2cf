"""Pages that people read: README, licence, contribution guide, and how fresh they are."""

from __future__ import annotations

import re

from stationmaster import days
from stationmaster.readiness.evidence.prose import plain
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import Place

_PAGE = "{.md,.markdown,.mdx,.rst,.adoc,.asciidoc,.txt,.org,}"
_README_CHARACTERS = 300
_README_SECTIONS = re.compile(
    r"\b(?:install\w*|set ?up|getting started|get started|quick ?start|start\w* "
    r"(?:here|up)|usage|us(?:e|ing)"
    r"|how to|build\w*|compil\w*|run(?:ning)?|deploy\w*|develop\w*|contribut\w*|hacking|examples?"
    r"|tutorial|documentation|docs|guide|demo|manual|playground)\b"
    r"|instal[al]|inicio|empezar|utiliz|uso\b|utilis|démarr|nutzung|verwendung|erste schritte"
    r"|entwickl|установ|использ|запуск|сборк|安装|安裝|使用|快速|开始|開始|部署|开发|開發|构建|インストール|使い方|設置"
    r"|설치|사용|시작|kurulum|instalacja|instala",
    re.I,
)
_LINK = re.compile(
    r"\[([^\]\[]{1,100})\]\(|`([^`<]{1,100}) ?<|<(?:a|h[1-6])\b[^>]{0,500}>([^<]{1,100})<"
)
"""The words of links, and headings in HTML."""
_LICENCE_TEXT = re.compile(
    r"licen[cs]|copyright|permission|public domain|all rights reserved|proprietary|©", re.I
)
_LICENCE_KEPT = re.compile(r"unlicensed|proprietary|commercial|licenseref-", re.I)
_GUIDE_CHARACTERS = 200
_DEFAULTS_UNSEEN = "an owner's default page cannot be seen offline"
_FRESH_MS = 180 * days.MS_PER_DAY
_DORMANT_MS = 365 * days.MS_PER_DAY
_KEPT_PAGES = re.compile(
    r"(?:(?:\.github|docs?)/)?(?:CONTRIBUTING|ARCHITECTURE|DEVELOP\w*|HACKING)(?:[._-][^/]{0,60})?"
    r"|(?:[^/]{1,100}/){0,8}README(?:[._-][^/]{0,60})?"
    r"|(?:[^/]{1,100}/){0,8}(?:AGENTS?|CLAUDE|GEMINI)\.md|\.github/copilot-instructions\.md"
    r"|(?:[^/]{1,100}/)?(?:docs?|documentation|website|site|manual|man"
    r"|[^/]{1,100}\.docc)/(?:[^/]{1,100}/){0,12}[^/]{1,200}"
    r"\.(?:md|mdx|mdoc|markdown|rst|rest|adoc|asciidoc|txt|org|ipynb|html|textile|rdoc|pod|typ|tex"
    r"|texi|livemd|[1-8])"
    r"|(?:[^/]{1,100}/)?(?:docs?|documentation|website|site|manual)/(?:[^/]{1,100}/){1,12}"
    r"[^/._][^/]{0,200}\.ya?ml",
    re.I,
)
"""Pages may be kept as data, too: YAML in a folder below that of the documentation."""


def readme(facts: Facts) -> Verdict:
    """The verdict on the first README that passes, else on the one nearest to the root."""
    found = facts.tree.glob(
        "README" + _PAGE, ".github/README" + _PAGE, "docs/README" + _PAGE, any_case=True
    )
    if not found:
        return fails("There is no README at the root, in .github or in docs")
    best: Verdict | None = None
    for path in sorted(found, key=lambda path: path.count("/")):
        verdict = _of_readme(facts, path)
        if verdict.outcome == "pass":
            return verdict
        best = best or verdict
    return best or fails("There is no README")


def _of_readme(facts: Facts, path: str) -> Verdict:
    page = Document(path, facts.tree.text)
    words = len(plain(page.text))
    if words < _README_CHARACTERS:
        return fails(
            f"The README has {words} characters besides its markup, not {_README_CHARACTERS}",
            Place(path),
        )
    for number, heading in enumerate(page.headings):
        is_title = number == 0 and heading.level == 1
        if not is_title and _README_SECTIONS.search(plain(heading.text)):
            return passes("The README says how to use or develop it", Place(path, heading.line))
    for number, line in enumerate(page.text.split("\n"), 1):
        named = " ".join(part for found in _LINK.findall(line[:5000]) for part in found)
        if _README_SECTIONS.search(named):
            return passes("The README leads to how to use or develop it", Place(path, number))
    if page.code:
        shown = Place(path, page.code[0].line)
        return passes("The README shows an example of its use", shown, weak=True)
    return fails("The README has no section on installing, using or developing it", Place(path))


def licence(facts: Facts) -> Verdict:
    """Passes where a file at the root holds a licence, or the manifest there keeps all rights."""
    found = facts.tree.glob(
        "{LICENSE,LICENCE,COPYING,UNLICENSE,COPYRIGHT,MIT-LICENSE,GPL-LICENSE}*",
        "*[-_.]{LICENSE,LICENCE}" + _PAGE,
        "{LICENSES,LICENSE,LICENCES}/*",
        any_case=True,
    )
    for path in found:
        if _LICENCE_TEXT.search(facts.tree.text(path)[:20_000]):
            return passes("There is a licence", Place(path))
    for manifest in facts.project.manifests:
        declared = manifest.data.get("license")
        if manifest.folder == "." and isinstance(declared, str) and _LICENCE_KEPT.search(declared):
            return passes("The manifest keeps all rights", Place(manifest.path))
    if found:
        return fails("The licence file names no licence", *map(Place, found[:1]))
    return fails("There is no LICENSE, COPYING, UNLICENSE or LICENSES/ at the root")


def contributing_guide(facts: Facts) -> Verdict:
    """Passes where a guide has at least 200 characters, or the owner's default one applies."""
    found = facts.tree.glob(
        "{,.github/,.gitlab/,docs/,doc/,.gitea/}CONTRIBUTING*" + _PAGE,
        "{,.github/,docs/,doc/}{DEVELOPMENT,DEVELOPING,DEVELOPER*,HACKING,DEV,HACKING*}" + _PAGE,
        "{docs,doc}/**/{contributing,contribute,development,developing,hacking}" + _PAGE,
        "{docs,doc}/**/{contributing,development}/{index,overview,README,setup,intro*}" + _PAGE,
        any_case=True,
    )
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        if len(plain(facts.tree.text(path))) >= _GUIDE_CHARACTERS:
            return passes("There is a contribution guide", Place(path))
    if facts.inherits("CONTRIBUTING"):
        return passes("The owner's default contribution guide applies")
    if found:
        return fails(f"The guide has fewer than {_GUIDE_CHARACTERS} characters", Place(found[0]))
    looked = "There is no CONTRIBUTING or DEVELOPMENT page at the root, in .github or in docs"
    return fails(looked if facts.hosting else f"{looked}; {_DEFAULTS_UNSEEN}")


def freshness(facts: Facts) -> Verdict:
    """Passes where a person changed a page in the last 180 days.

    Skipped where the last commit is over 365 days old; unknown without a history.
    """
    commits = facts.history.commits
    if not commits:
        return unknown("The history is not at hand")
    if facts.as_of - commits[0].at > _DORMANT_MS:
        return skips("No commit in the last 365 days: the repository is dormant")
    newest: tuple[int, str] | None = None
    for commit in commits:
        if commit.is_by_bot:
            continue
        pages = (path for path in commit.paths if _KEPT_PAGES.fullmatch(path))
        path = next(filter(facts.project.products.has, pages), None)
        if path is not None:
            newest = commit.at, path
            break
    if newest is not None and facts.as_of - newest[0] <= _FRESH_MS:
        return passes(f"A person changed it on {days.of_ms(newest[0])}", Place(newest[1]))
    if (
        newest is None
        and not facts.history.is_complete
        and facts.as_of - commits[-1].at <= _FRESH_MS
    ):
        return unknown(
            "The history of this copy does not reach back 180 days, as that of a shallow clone; "
            "`git fetch --unshallow` brings the rest"
        )
    if newest is None:
        return fails(
            "No person changed README, CONTRIBUTING, agent instructions or a page of docs in the "
            "last year"
        )
    return fails(
        f"The newest change by a person is of {days.of_ms(newest[0])}; 180 days were looked at",
        Place(newest[1]),
    )
