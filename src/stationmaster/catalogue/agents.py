"""What workflows and repositories show of coding agents: `agents.toml` has those whose sessions are
not read. The others have this in their cards, in `agents/`.
"""

from __future__ import annotations

import msgspec

from stationmaster.catalogue.table import Row, lazy_table


class Starts(Row, frozen=True):
    """What in a command of a program shows that an agent works without a person, any of: words that
    are no options begin with one of `verbs`; one of `flags` is given; a prompt is given, or the
    answer is to be printed; something is piped into it.
    """

    verbs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    prompt: bool = False
    piped: bool = False


class Files(Row, frozen=True):
    """What a repository holds for an agent, as patterns of paths.

    `nested` are files of instructions at the root and in folders below, `instructions` those at the
    root alone, `rules` those that state for which paths they hold. `commands` are its commands and
    subagents, `skills` the folders of its skills, `plugins` what makes skills a product. `guards`
    are settings that allow and forbid, `servers` those that name MCP servers.
    """

    nested: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()


class Traces(Row, frozen=True):
    """What is seen of one agent where no session of it is.

    In workflows. `actions`: patterns of `owner/name` or `owner/name/folder` in lower case;
    `free_actions` require no approval of any tool; `own_checks` are actions that start for people
    with write access alone, unless that input changes it; with `has_app` an action that is
    given an identity token and no other gets one that may write. `programs` by name, `packages`
    with the program that a runner such as npx starts from each. `engine`: what compiled agentic
    workflows call it. `keys`: names of secrets that mostly it reads. `mentions`: patterns of how
    it is called in texts. `words`: names in a called workflow. `setup`: a workflow that prepares
    its machine. `yolo`: its short option for no approvals. `only_reviews`: it does nothing but
    review changes.

    In repositories. `manifests`: names in its own repository's manifest in addition to those of its
    packages. `files`: what is in others. `authors`: words in the names of authors of commits, as
    patterns. `signatures`: names with which it signs commits, of which no person has one of
    `full_names`; `domains` and `emails`: those of its addresses, the latter as patterns.
    """

    actions: tuple[str, ...] = ()
    free_actions: frozenset[str] = frozenset()
    own_checks: dict[str, str] = msgspec.field(default_factory=dict)
    has_app: bool = False
    programs: dict[str, Starts] = msgspec.field(default_factory=dict)
    packages: dict[str, str] = msgspec.field(default_factory=dict)
    engine: str = ""
    keys: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    setup: str = ""
    yolo: str = ""
    only_reviews: bool = False
    manifests: tuple[str, ...] = ()
    files: Files = Files()
    authors: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    full_names: tuple[str, ...] = ()
    domains: frozenset[str] = frozenset()
    emails: tuple[str, ...] = ()


others = lazy_table("agents", dict[str, Traces])
"""The agents of which no session is read, by name."""
