"""Build configurations of TeamCity as the server exports them to XML.

Entities are refused and nothing is fetched: the parser only tells elements, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.parsers import expat

from stationmaster.pipelines.model import EventKind, Job, Place, Step, distinct, line
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.repos.yaml_nodes import Fault

_ELEMENTS_MAX = 20_000
_DEPTH_MAX = 64
_EVENTS: dict[str, EventKind] = {
    "vcsTrigger": "push",
    "schedulingTrigger": "schedule",
    "buildDependencyTrigger": "workflow_chain",
}


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    within: tuple[str, ...]
    line: int
    text: str = ""


def describe(draft: Draft, data: bytes) -> bool:
    """Says no to what is no build configuration and no template. Raises Fault."""
    elements = _elements(data)
    root = elements[0].name if elements else ""
    if root not in ("build-type", "template", "meta-runner"):
        return False
    job = draft.path.rpartition("/")[2].removesuffix(".xml")
    draft.kind = "pipeline" if root == "build-type" else "template"
    name = next((element.text for element in elements if element.name == "name"), job)
    draft.job(
        Job(
            id=line(job),
            name=line(name),
            needs=_told(elements, "depend-on", "sourceBuildTypeId"),
            runs_on=[
                line(f"{each.attributes.get('name')} {each.name} {each.attributes.get('value')}")
                for each in elements
                if each.within and each.within[-1] == "requirements"
            ][:LIST_MAX],
            agents=[],
            timeout_minutes=_limit(elements),
            place=Place(1, 1),
        )
    )
    for each in elements:
        _add(draft, line(job), each)
    return True


def _add(draft: Draft, job: str, each: _Element) -> None:
    place = Place(each.line, 1)
    if each.name == "build-trigger":
        named = each.attributes.get("type", "")
        draft.trigger(named, place, _EVENTS.get(named, "other"))
    elif each.name == "param" and each.attributes.get("name") == "script.content":
        script = each.text or each.attributes.get("value", "")
        draft.step(Step(job=job, path=draft.path, place=place, script=script, script_at=place))
    elif each.name == "param" and (
        "password" in each.attributes.get("spec", "")
        or each.attributes.get("value", "").startswith("credentialsJSON:")
    ):
        draft.secret(each.attributes.get("name", "").removeprefix("env."), job)


def _told(elements: list[_Element], name: str, attribute: str) -> list[str]:
    said = [element.attributes.get(attribute, "") for element in elements if element.name == name]
    return distinct(said, LIST_MAX)


def _limit(elements: list[_Element]) -> int | None:
    for element in elements:
        value = element.attributes.get("value", "")
        if element.attributes.get("name") == "executionTimeoutMin" and value.isdecimal():
            return int(value[:6]) or None
    return None


def _elements(data: bytes) -> list[_Element]:
    elements: list[_Element] = []
    open_: list[_Element] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(elements) >= _ELEMENTS_MAX or len(open_) >= _DEPTH_MAX:
            raise Fault("the file is too large or nested too deeply", parser.CurrentLineNumber)
        within = tuple(each.name for each in open_[-1:])
        elements.append(_Element(name, attributes, within, parser.CurrentLineNumber))
        open_.append(elements[-1])

    def end(_name: str) -> None:
        open_.pop()

    def text(characters: str) -> None:
        if open_:
            open_[-1].text += characters

    def doctype(*_told: object) -> None:
        raise Fault("a document type could name entities, and is refused", parser.CurrentLineNumber)

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as wrong:
        reason = expat.ErrorString(wrong.code)
        raise Fault(f"no XML: {reason}", wrong.lineno, wrong.offset + 1) from wrong
    return elements
