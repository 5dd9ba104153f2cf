"""The criteria of the pillar Development Environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stationmaster.readiness.criteria.environment import services
from stationmaster.readiness.evidence import deployment, signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import OfApp, OfRepository, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import Kind, Place
from stationmaster.reading.projects.test_files import is_test

_TEMPLATES = (
    "**/{.env,env,.envrc,dotenv}.{example,sample,template,dist,default,defaults,tpl,tmpl,local.example,test.example}",
    "**/.env.*.{example,sample,template,dist}",
    "**/{example,sample,template}.env",
    "**/.env.{example,sample,template}.*",
    "**/*.env.{example,sample,template}",
    "**/{.env-example,.env-sample,.env_example,.env_sample,.env.defaults,example.env}*",
    "**/*.tfvars.{example,sample}",
    "**/{config,conf,etc,settings}/**/*.{sample,example,template,dist,sample.*,example.*}",
    "**/*.{example,sample}.{yml,yaml,toml,json,ini,conf,py,rb,php}",
    "**/{local_settings,settings_local,config_local}.py.{example,sample,dist}",
    "**/{config,settings,application,appsettings}{.,-,_}{example,sample}.*",
)
_COMMON = re.compile(
    r"^(?:HOME|PATH|USER|SHELL|TERM|PWD|LANG|LC_\w+|TMPDIR|TEMP|TMP|CI|NODE_ENV|RAILS_ENV"
    r"|RACK_ENV|APP_ENV|ENV|DEBUG|PORT|HOST|HOSTNAME"
    r"|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLORTERM|COLUMNS|LINES|EDITOR|VISUAL|PAGER|BROWSER"
    r"|DISPLAY|XDG_\w+|APPDATA|LOCALAPPDATA|PROGRAM\w+|USERPROFILE"
    r"|SYSTEMROOT|WINDIR|COMSPEC|GITHUB_\w+|CI_\w+|GITLAB_\w+|TRAVIS\w*|JENKINS\w*|npm_\w+"
    r"|PYTHON\w+|VIRTUAL_ENV|GOPATH|GOROOT|CARGO\w*|RUST\w*|JAVA_HOME|DOCKER_HOST|KUBERNETES_\w+"
    r"|KUBECONFIG"
    r"|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|MODE|DEV|PROD|SSR|BASE_URL|VITEST\w*"
    r"|JEST_\w+|TEST\w*|ASPNETCORE_\w+|DOTNET_\w+|REMOTE_ADDR|REQUEST_\w+|HTTP_\w+|SERVER_\w+"
    r"|SCRIPT_\w+|QUERY_STRING|argv|argc|DOCUMENT_ROOT|VERCEL\w*|NEXT_RUNTIME|OTEL_\w+"
    r"|AWS_LAMBDA_\w+|LISTEN_\w+|NOTIFY_SOCKET|INVOCATION_ID|WATCHDOG_\w+|SHLVL|PS1|SSH_\w+|TZ)$"
)
"""Set by systems, platforms and tools: nobody has to be told of them."""
_DOCUMENTED_MIN = 0.5
_VARIABLES_MAX = 500
_COMPOSE_DEFAULT = re.compile(r"\$\{[A-Za-z_]\w{0,80}:?-")
_DEFAULTS_MIN = 3
_CONFIGURED: frozenset[Kind] = frozenset({"service", "web", "job", "mobile", "desktop"})
_EQUIVALENTS = (
    ".gitpod.{yml,yaml}",
    "{.,}devfile.{yml,yaml}",
    "devbox.json",
    "devenv.nix",
    ".cursor/environment.json",
    ".idx/dev.nix",
    "shell.nix",
)
_EDITORS = frozenset({".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".github", ".husky"})
"""Folders with settings of editors and hosts, which are none of the application."""
_DEV_SHELL = re.compile(r"\bdevShells?\b|\bmkShell\b|\bdevenv\b")
_CONTAINER_KEYS = ("image", "build", "dockerFile", "dockerfile", "dockerComposeFile")


def env_template(facts: Facts) -> Verdict:
    """Passes where a template, compose file, document or code lists the settings that are read."""
    templates = [
        path
        for path in facts.tree.glob(*_TEMPLATES)
        if not is_test(path) and _EDITORS.isdisjoint(path.split("/"))
    ]
    if templates:
        return passes("A template lists the settings", *map(Place, templates))
    for path in facts.tree.glob(*deployment.COMPOSE):
        if len(_COMPOSE_DEFAULT.findall(facts.tree.text(path))) >= _DEFAULTS_MIN:
            return passes("A compose file gives the variables their defaults", Place(path))
    apps = [app for app in facts.project.apps if app.kinds & _CONFIGURED]
    if not apps:
        return skips("Libraries and tools take their settings from their callers")
    seen = (each for app in apps for each in signs.seen(facts, "variable", app))
    sights = [each for each in seen if not _COMMON.match(each.text)]
    names = sorted({sight.text for sight in sights})[:_VARIABLES_MAX]
    if not names:
        return skips("The code reads no variables of the environment")
    if page := _documented(facts, names):
        return passes("Documents name the variables that the code reads", page)
    for app in apps:
        if shown := tools.of_app(facts, app, "settings"):
            return passes("Code declares the settings that it reads", *shown.places, weak=True)
    return fails(
        f"No template, table or schema lists the {len(names)} variables that the code reads",
        sights[0].place,
    )


def _documented(facts: Facts, names: Sequence[str]) -> Place | None:
    """The page that names most of the variables, where all pages together name half of them."""
    known: dict[str, set[str]] = {}
    for page in facts.tree.documents:
        words = set(re.findall(r"\b[A-Za-z_][A-Za-z0-9_]{2,80}\b", page.text)) & set(names)
        if words:
            known[page.path] = words
    told = set().union(*known.values()) if known else set()
    if len(told) < _DOCUMENTED_MIN * len(names):
        return None
    return Place(max(known, key=lambda path: (len(known[path]), path)))


def devcontainer(facts: Facts) -> Verdict:
    """Passes where a dev container, or an equivalent such as a Nix shell, is configured."""
    found = facts.tree.glob(
        ".devcontainer/devcontainer.json", ".devcontainer.json", ".devcontainer/*/devcontainer.json"
    )
    for path in found:
        config = facts.tree.json(path)
        if isinstance(config, dict) and any(config.get(key) for key in _CONTAINER_KEYS):
            return passes("There is a dev container", Place(path))
    for path in facts.tree.glob(*_EQUIVALENTS):
        if facts.tree.text(path).strip():
            return passes(
                "Another description of an environment stands for a dev container", Place(path)
            )
    for path in facts.tree.glob("flake.nix"):
        if _DEV_SHELL.search(facts.tree.text(path)):
            return passes("A Nix shell stands for a dev container", Place(path))
    if found:
        return fails("The dev container has no image, build or compose file", Place(found[0]))
    return fails(
        "There is no .devcontainer/devcontainer.json, Gitpod, devfile, devbox or Nix shell"
    )


OF_APP: Mapping[str, OfApp] = {"database_schema": services.database_schema}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "env_template": env_template,
    "devcontainer": devcontainer,
    "local_services_setup": services.local_services,
}
