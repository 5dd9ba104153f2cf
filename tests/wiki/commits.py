"""Facts and pages of commits that are made of a dict; files are parsed in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stationmaster.pipelines.scan import scan
from stationmaster.reading.code import classes, reading
from stationmaster.reading.code.shelf import Head
from stationmaster.reading.projects import reading as projects
from stationmaster.reading.projects.queries import Tree
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.facts.remembered import Remembered
from stationmaster.wiki.making.memo import Memory, Nothing
from stationmaster.wiki.pages.model import Write
from stationmaster.wiki.text.page import Page
from tests.support.trees import AS_OF, Content, files_of


def facts_of(
    contents: Mapping[str, Content], name: str = "engine", memory: Memory | None = None
) -> Facts:
    """What is known of a commit with these files, and of single files from a memory."""
    files = files_of(contents)
    pipelines = scan(files)
    project = projects.read(files, pipelines)
    records = dict(classes.sort(files, project.products).records)
    read = {
        path: reading.read(record.language, files.content(path))
        for path, record in sorted(records.items())
        if record.is_code
    }
    of_tests = {each.folder: each.is_for_tests for each in project.manifests}
    states = {path: (each.status, each.language) for path, each in read.items()}
    classes.settle(records, states, projects=of_tests)
    code = {path: each for path, each in read.items() if records[path].is_ours}
    heads = {path: Head(each.status, each.lines, each.language) for path, each in read.items()}
    commit = Commit("c" * 40, AS_OF, "main", None, name)
    remembered = Remembered(memory or Nothing(), records)
    remembered.heads = heads
    tree = Tree(files, project)
    return Facts(commit, tree, pipelines, records, code, heads, remembered=remembered)


def written(facts: Facts, write: Write, subject: Any = None, key: str = "page") -> str:
    """The body of one page."""
    page = Page(facts, key, key.rpartition("/")[2].capitalize())
    write(page, facts, subject)
    return page.body()
