"""Who decides and what is kept out: owners, policies, protected branches, ignored files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.readiness.evidence import leaks, signs
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, unknown
from stationmaster.reading.projects.ignored import Ignored
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import get

_OWNERS = (
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
    ".gitea/CODEOWNERS",
    ".forgejo/CODEOWNERS",
    ".bitbucket/CODEOWNERS",
)
"""In the order in which forges look; the first that is there counts."""
_OWNERS_BYTES_MAX = 3 * 2**20
_OWNER = re.compile(
    r"(?<!\S)(?:@[\w.-]{1,100}(?:/[\w./-]{1,200})?|[\w.+-]{1,100}@[\w.-]{1,100}\.\w{2,20})"
)
_POLICIES = "{,.github/,docs/,.gitlab/,.gitea/}SECURITY{.md,.rst,.txt,.adoc,.markdown,}"
_CONTACT = re.compile(
    r"@|https?://|report|disclos|vulnerab|contact|advisor|e-?mail|漏洞|脆弱性|уязвим", re.I
)
_SECURITY_TXT = "**/{.well-known/security.txt,security.txt}"
_OUTPUT: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "JavaScript": (
        ("node_modules/a/b.js",),
        (
            "dist/a.js",
            "build/a.js",
            "lib/a.js",
            "out/a.js",
            ".next/a",
            "coverage/a",
            "public/build/a.js",
            ".nuxt/a",
            ".output/a",
            "es/a.js",
            "temp/a",
            "tmp/a",
            "public/assets/a.js",
            "public/packs/a.js",
            "www/a",
            "_site/a",
            ".cache/a",
            "storybook-static/a",
        ),
    ),
    "Python": (("a/__pycache__/b.pyc", "a/b.pyc"),),
    "Java": (
        (
            "target/classes/A.class",
            "build/classes/A.class",
            "bin/A.class",
            "out/A.class",
            "A.class",
        ),
    ),
    "Rust": (("target/debug/a",),),
    "C#": (("src/A/bin/Debug/a.dll", "bin/Debug/a.dll"), ("src/A/obj/a.cache", "obj/a.cache")),
    "PHP": (("vendor/autoload.php",),),
    "Swift": ((".build/debug/a", "build/a", "DerivedData/a"),),
    "Elixir": (("_build/dev/a",), ("deps/a/b.ex",)),
    "Dart": ((".dart_tool/a", "build/a"),),
    "Terraform": ((".terraform/a",),),
}
"""By language, what has to be ignored: one of each group, in any folder."""
_ALIKE = {
    "TypeScript": "JavaScript",
    "Vue": "JavaScript",
    "Svelte": "JavaScript",
    "JSX": "JavaScript",
    "TSX": "JavaScript",
    "Kotlin": "Java",
    "Scala": "Java",
    "Groovy": "Java",
    "F#": "C#",
    "HCL": "Terraform",
    "Visual Basic .NET": "C#",
}
_SHARE_MIN = 0.05
"""Of the source files, from which on a language has to be looked after."""
_DESK = (
    ".idea/workspace.xml",
    ".vscode/settings.json",
    ".DS_Store",
    "Thumbs.db",
    "a.swp",
    "a~",
    "a.iml",
    ".project",
    ".vs/a",
    "a.suo",
    "a.user",
    ".settings/a",
    "nbproject/a",
    "xcuserdata/a",
    "desktop.ini",
    ".fleet/a",
    ".zed/a",
    ".history/a",
    ".cursor/a",
    "a.sublime-workspace",
    "a.code-workspace",
    ".classpath",
    ".eclipse/a",
    ".vim/a",
    "a.bak",
    "TAGS",
    "tags",
    ".dir-locals.el",
    ".envrc",
    ".direnv/a",
)
_SECRETS = (".env", ".env.local", ".env.production", ".envrc")
_JUNK = ("**/{.DS_Store,Thumbs.db}", "**/*.{pyc,pyo,class}", "**/__pycache__/**", "**/*.{suo,swp}")
_JUNK_MAX = 3
_READS_ENV = frozenset({"service", "web", "job", "mobile"})
_PROTECTING = re.compile(
    r"\bresource\s+\"(?:github_branch_protection\w*|github_repository_ruleset"
    r"|gitlab_branch_protection)\""
)


def codeowners(facts: Facts) -> Verdict:
    """Passes where the CODEOWNERS file that the hosting service reads has a rule with an owner."""
    paths = [path for path in _OWNERS if facts.files.behind(path)]
    for path in paths[:1]:
        real = facts.files.behind(path) or path
        if facts.files.entry(real).size > _OWNERS_BYTES_MAX:
            return fails("The CODEOWNERS file is too large for the hosting service", Place(path))
        for number, line in enumerate(facts.tree.text(path).split("\n"), 1):
            rule = line.partition("#")[0].strip()
            if (
                rule
                and not rule.startswith("[")
                and _OWNER.search(rule.partition(" ")[2] or rule.partition("\t")[2])
            ):
                return passes("Paths have owners", Place(path, number))
            if rule.startswith("[") and _OWNER.search(rule):
                return passes("Sections have owners", Place(path, number))
        return fails("The CODEOWNERS file has no rule with an owner", Place(path))
    misplaced = facts.tree.glob("**/CODEOWNERS")
    if misplaced:
        return fails(
            "A CODEOWNERS file is in a folder where no hosting service looks", Place(misplaced[0])
        )
    return fails("There is no CODEOWNERS file at the root, in .github, docs or .gitlab")


def security_policy(facts: Facts) -> Verdict:
    """Passes where a security policy names a contact, or the owner's default policy applies."""
    found = facts.tree.glob(_POLICIES, any_case=True)
    for path in (*found, *facts.tree.glob(_SECURITY_TXT)):
        if _CONTACT.search(facts.tree.text(path)):
            return passes("A policy says how to report", Place(path))
    if facts.inherits("SECURITY"):
        return passes("The owner's default security policy applies")
    if found:
        return fails("The security policy names no contact", Place(found[0]))
    looked = "There is no SECURITY.md at the root, in .github or in docs, and no security.txt"
    if not facts.hosting:
        looked += "; an owner's default policy cannot be seen offline"
    near = facts.tree.glob("*/**/SECURITY.md", any_case=True)
    return fails(looked, *map(Place, near[:1]))


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
            hint = f"; {path} asks for it"
    for path in facts.tree.glob("**/*.tf"):
        if _PROTECTING.search(facts.tree.text(path)):
            hint = f"; {path} asks for it"
    return unknown(f"Only the hosting service knows whether the default branch is protected{hint}")


def gitignore(facts: Facts) -> Verdict:
    """Passes where output, secrets and editors' files are ignored, and none of them is tracked."""
    ignored = Ignored(facts.tree)
    if not ignored.paths:
        return fails("There is no .gitignore")
    if junk := _tracked_junk(facts):
        return fails("Files that should be ignored are tracked", *junk)
    missing = [
        f"{language}'s {group[0]}"
        for language in _languages(facts)
        for group in _OUTPUT.get(language, ())
        if not ignored.has_any(group)
    ]
    if _reads_env(facts) and not ignored.has_any(_SECRETS):
        missing.append(".env")
    if not ignored.has_any(_DESK):
        missing.append("files of editors or of the operating system")
    places = tuple(map(Place, ignored.paths[:1]))
    if missing:
        return fails(f"The ignored files lack {', '.join(missing[:4])}", *places)
    return passes("Output, dependencies and editors' files are ignored", *places)


def _reads_env(facts: Facts) -> bool:
    """May a file of variables lie about where the applications are worked on?"""
    apps = [app for app in facts.project.apps if app.kinds & _READS_ENV]
    return any(signs.seen(facts, "variable", app) for app in apps) or bool(
        apps and facts.tree.glob("**/.env*")
    )


def _languages(facts: Facts) -> list[str]:
    counts = facts.project.languages
    enough = max(1.0, _SHARE_MIN * sum(counts.values()))
    return list(
        dict.fromkeys(_ALIKE.get(each, each) for each, count in counts.items() if count >= enough)
    )


def _tracked_junk(facts: Facts) -> list[Place]:
    found = list(facts.tree.glob(*_JUNK))
    folders = [app.path for app in facts.project.apps]
    for folder in dict.fromkeys([".", *folders]):
        found += facts.tree.glob("node_modules/*", "node_modules/*/package.json", under=folder)[:1]
    found += [path for path in facts.tree.glob("**/.env") if leaks.assigns(facts.tree.text(path))]
    return [Place(path) for path in found[:_JUNK_MAX]]
