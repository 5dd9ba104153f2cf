"""Who decides, what is kept out, and how personal data is handled."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.catalogue import lists
from stationmaster.catalogue.families import Output, of_output
from stationmaster.readiness.evidence import leaks, signs, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.ignored import Ignored
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import get

_OWNERS_BYTES_MAX = 3 * 2**20
_SHARE_MIN = 0.05
"""Of the source files, from which on a language has to be looked after."""
_SECRETS = (".env", ".env.local", ".env.production", ".envrc")
_JUNK_MAX = 3
_READS_ENV = frozenset({"service", "web", "job", "mobile"})


def codeowners(facts: Facts) -> Verdict | None:
    """Passes where the CODEOWNERS file that the hosting service reads has a rule with an owner."""
    paths = [path for path in lists.files("code-owners") if facts.files.behind(path)]
    for path in paths[:1]:
        real = facts.files.behind(path) or path
        if facts.files.entry(real).size > _OWNERS_BYTES_MAX:
            return fails("The CODEOWNERS file is too large for the hosting service", path)
        for number, line in enumerate(facts.tree.text(path).split("\n"), 1):
            rule = line.partition("#")[0].strip()
            is_section = rule.startswith("[")
            owners = rule if is_section else rule.partition(" ")[2] or rule.partition("\t")[2]
            if lists.pattern("code-owner").search(owners):
                named = "Sections" if is_section else "Paths"
                return passes(f"{named} have owners", Place(path, number))
        return fails("The CODEOWNERS file has no rule with an owner", path)
    misplaced = facts.tree.glob("**/CODEOWNERS")
    if misplaced:
        return fails(
            "A CODEOWNERS file is in a folder where no hosting service looks", misplaced[0]
        )
    return None


def branch_protection(facts: Facts) -> Verdict:
    """Passes where the hosting service protects the default branch; unknown without its answer."""
    if facts.hosting is not None and facts.hosting.is_protected is not None:
        if facts.hosting.is_protected:
            return passes("Changes of the default branch need a review or a check")
        return fails(
            "Nothing keeps the default branch from being pushed to without a review or check"
        )
    hint = ""
    for path in facts.tree.glob(".github/{settings,safe-settings}.{yml,yaml}"):
        if get(facts.tree.yaml(path), "branches") or get(facts.tree.yaml(path), "rulesets"):
            hint = f"; {path} requires it"
    for path in facts.tree.glob("**/*.tf"):
        if lists.pattern("protection-resource").search(facts.tree.text(path)):
            hint = f"; {path} requires it"
    return unknown(f"Only the hosting service knows whether the default branch is protected{hint}")


def gitignore_comprehensive(facts: Facts) -> Verdict:
    """Passes where output, secrets and editors' files are ignored, and none of them is tracked."""
    ignored = Ignored(facts.tree)
    if not ignored.paths:
        return fails("There is no .gitignore")
    if junk := _tracked_junk(facts):
        return fails("Files that should be ignored are tracked", *junk)
    missing = [
        f"{language}'s {group[0]}"
        for language, output in _outputs(facts).items()
        for group in output.any_of
        if not ignored.has_any(group)
    ]
    if _reads_env(facts) and not ignored.has_any(_SECRETS):
        missing.append(".env")
    if not ignored.has_any(tuple(lists.words("editor-file"))):
        missing.append("files of editors or of the operating system")
    places = tuple(map(Place, ignored.paths[:1]))
    if missing:
        return fails(f"The ignored files lack {', '.join(missing[:4])}", *places)
    return passes("Output, dependencies and editors' files are ignored", *places)


def _reads_env(facts: Facts) -> bool:
    """May a file of variables be present where the applications are worked on?"""
    apps = [app for app in facts.project.apps if app.kinds & _READS_ENV]
    return any(signs.seen(facts, "variable", app) for app in apps) or bool(
        apps and facts.tree.glob("**/.env*")
    )


def _outputs(facts: Facts) -> Mapping[str, Output]:
    """What builds make, by the families of the languages that a part of the sources is in."""
    counts = facts.project.languages
    enough = max(1.0, _SHARE_MIN * sum(counts.values()))
    return dict(filter(None, (of_output(name) for name, n in counts.items() if n >= enough)))


def _tracked_junk(facts: Facts) -> list[Place]:
    paths = list(facts.tree.glob(*lists.files("junk")))
    folders = [app.path for app in facts.project.apps]
    for folder in dict.fromkeys([".", *folders]):
        paths += facts.tree.glob("node_modules/*", "node_modules/*/package.json", under=folder)[:1]
    paths += [path for path in facts.tree.glob("**/.env") if leaks.assigns(facts.tree.text(path))]
    return [Place(path) for path in paths[:_JUNK_MAX]]


_SIGNALS_MIN = 2


def pii_handling(facts: Facts, app: App) -> Verdict:
    """Unknown where there are people's data, which only a reader can judge; skipped elsewhere."""
    if people := _people(facts, app):
        return unknown(
            f"There are people's data ({people}), and only reading the code shows how they are "
            "handled"
        )
    return skips("There is no file of personal data")


def _people(facts: Facts, app: App) -> str | None:
    paths = (path for path in facts.tree.of(app) if lists.pattern("people-file").fullmatch(path))
    return next((path for path in paths if not is_test(path)), None)


def privacy_compliance(facts: Facts) -> Verdict:
    """Passes where at least two of policy, consent, retention, export and deletion are there."""
    signals: dict[str, Place] = {}
    for name, pattern in (
        ("a privacy policy", lists.pattern("privacy-policy")),
        ("a store's privacy manifest", lists.pattern("privacy-manifest")),
        ("an assessment", lists.pattern("privacy-assessment")),
        ("retention", lists.pattern("data-retention")),
        ("export or deletion", lists.pattern("data-export")),
    ):
        paths = (path for path in facts.tree.paths if pattern.fullmatch(path))
        if own := next((path for path in paths if not is_test(path)), None):
            signals[name] = Place(own)
    if consent := tools.of_repository(facts, "consent"):
        signals["consent"] = consent.places[0]
    if len(signals) >= _SIGNALS_MIN:
        return passes(f"There are {' and '.join(signals)}", *signals.values())
    if not signals and not any(_people(facts, app) for app in facts.project.apps):
        return skips("There are no data of end users")
    there = f"only {next(iter(signals))} exists" if signals else "none of them exists"
    return fails(f"Of policy, consent, retention, export and deletion, {there}", *signals.values())
