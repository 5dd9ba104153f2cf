"""Keys that a JSON Schema of settings describes."""

from __future__ import annotations

import json

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "definitions": {
        "duration": {"type": "string", "default": "1h", "description": "How long."},
        "loop": {"type": "object", "properties": {"again": {"$ref": "#/definitions/loop"}}},
    },
    "required": ["dsn"],
    "properties": {
        "dsn": {"type": "string", "description": "Where the\n database is."},
        "log": {
            "type": "object",
            "properties": {
                "level": {"enum": ["info", "debug"], "default": "info"},
                "secret": {"type": "string", "default": "hunter2"},
            },
        },
        "ttl": {"oneOf": [{"$ref": "#/definitions/duration"}, {"enum": ["-1"]}]},
        "hooks": {
            "type": "array",
            "items": {"type": "object", "properties": {"url": {"type": "string"}}},
        },
        "cors": {
            "allOf": [
                {"$ref": "https://example.org/cors.json"},
                {"properties": {"own": {"type": "boolean"}}},
            ]
        },
    },
}


def keys(files: dict[str, str]) -> list[tuple[object, ...]]:
    return [
        (it.name, it.type, it.default, it.is_required, it.doc, [path for path, _ in it.reads])
        for it in settings(facts_of(files))
    ]


def test_a_schema_of_settings_has_keys_with_types_defaults_and_meanings() -> None:
    path = "config.schema.json"
    assert keys({
        path: json.dumps(SCHEMA, indent="\t"),
        "stub/config.schema.json": json.dumps({"properties": {"stub": {}}}),
        "lib/log/config.schema.json": json.dumps({"properties": {"inner": {}}}),
    }) == [
        ("cors.own", "boolean", None, False, "", [path]),
        ("dsn", "string", None, True, "Where the database is.", [path]),
        ("hooks[].url", "string", None, False, "", [path]),
        ("log.level", "info | debug", "info", False, "", [path]),
        ("log.secret", "string", None, False, "", [path]),
        ("ttl", "string", "1h", False, "How long.", [path]),
    ]  # fmt: skip


def test_the_schema_that_a_program_embeds_stands_for_its_copies() -> None:
    schema = json.dumps({"properties": {"port": {"type": "integer", "default": 80}}}, indent=2)
    assert keys({
        ".schema/config.schema.json": schema,
        "spec/config.json": schema,
        "spec/api.json": schema,
        "spec/config.go": 'package spec\n\n//go:embed config.json\nvar Schema []byte\n',
    }) == [("port", "integer", "80", False, "", ["spec/config.json"])]  # fmt: skip


def test_schemas_that_refer_to_themselves_end() -> None:
    loop = {"anyOf": [{"$ref": "#/definitions/loop"}, {"$ref": "#/properties/a"}]}
    wide = {f"k{number}": {"$ref": "#"} for number in range(1_000)}
    schema = {"definitions": {"loop": loop}, "properties": {"a": loop, **wide}}
    assert len(keys({"config.schema.json": json.dumps(schema)})) <= 2_000
