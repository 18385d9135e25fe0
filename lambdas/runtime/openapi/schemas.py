"""The schemas of the OpenAPI document: what values may be, and what answers look like."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from msgspec import Struct, json

from lambdas.design.ecommerce import ChangedUser, JobResult, NewOrder
from lambdas.design.entity import Entity
from lambdas.design.keys import Key
from lambdas.design.pattern import (
    AccessPattern,
    NewItem,
    NewParentAndAll,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    Progress,
    PutOrReplaced,
)
from lambdas.design.values import END, Amount, Cursor, PageLimit
from lambdas.runtime.items import FIRST_VERSION
from lambdas.runtime.openapi.operations import answered

Schema = dict[str, Any]

_SCHEMAS: Final = "#/components/schemas/"


class Components:
    """The parts of a document that have a name, collected while it is written."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self.responses: dict[str, dict[str, Any]] = {}

    def schema(self, name: str, schema: Schema) -> Schema:
        """A reference to the schema under this name."""
        self.schemas.setdefault(name, schema)
        return {"$ref": f"{_SCHEMAS}{name}"}

    def response(self, name: str, response: dict[str, Any]) -> dict[str, Any]:
        """A reference to the response under this name."""
        self.responses.setdefault(name, response)
        return {"$ref": f"#/components/responses/{name}"}


def plain(kind: Any) -> Schema:
    """The schema of a declared type that has no parts of its own."""
    return dict(_tidy(json.schema(kind)))


_HELD_TO: Final[dict[type[Struct], Schema]] = {
    ChangedUser: {"minProperties": 1},
    NewOrder: {"properties": {"Items": {"uniqueItems": True}}},
    JobResult: {
        "oneOf": [
            {
                "title": "It failed",
                "properties": {"Status": {"const": "FAILED"}, "ErrorCode": {"type": "string"}},
                "required": ["ErrorCode"],
            },
            {
                "title": "It succeeded",
                "properties": {"Status": {"const": "SUCCEEDED"}, "ErrorCode": {"type": "null"}},
            },
        ]
    },
}
"""What the functions in `lambdas.writes` hold a body to, beyond what its type says."""


def body_schema(body: type[Struct], components: Components) -> Schema:
    """The schema of a request's body."""
    (schema,), parts = json.schema_components(
        [body], schema_hook=_amount, ref_template=f"{_SCHEMAS}{{name}}"
    )
    for name, part in parts.items():
        held_to = _HELD_TO.get(body, {}) if name == body.__name__ else {}
        components.schema(name, _merged(_tidy(part), held_to))
    return schema


def _amount(kind: type) -> Schema:
    """The schema of an amount of money, a type that msgspec does not know."""
    if kind is not Amount:
        raise NotImplementedError  # as msgspec asks for
    return {
        "description": Amount.description,
        "type": "number",
        "minimum": 0,
        "maximum": Amount.MAX,
        "multipleOf": Decimal(1).scaleb(-Amount.PLACES),
    }


def _merged(schema: Schema, more: Schema) -> Schema:
    """The schema, and inside it what more is said of the same parts."""
    merged = dict(schema)
    for name, each in more.items():
        is_inside = isinstance(each, dict) and name in merged
        merged[name] = _merged(merged[name], each) if is_inside else each
    return merged


def answer_schema(pattern: AccessPattern, components: Components) -> Schema:
    """The schema of what a pattern answers when it succeeds."""
    if isinstance(pattern.answer, Progress):
        return _progress(components)
    refs = [_item(key, components) for key in answered(pattern)]
    match pattern.answer:
        case OneItem() | NewItem() | PutOrReplaced():
            return refs[0]
        case Page():
            return _page(_any_of(pattern, refs, components), components)
        case ParentAndPage(parent, children):
            nullable = {
                "anyOf": [refs[0], {"type": "null"}],
                "description": "Null on the pages after the first.",
            }
            return _exactly({parent: nullable, children: _page(refs[1], components)})
        case ParentAndAll(parent, children) | NewParentAndAll(parent, children):
            return _exactly({parent: refs[0], children: {"type": "array", "items": refs[1]}})
        case _:
            return _whole_items()


def _item(key: Key, components: Components) -> Schema:
    """An item as callers see it; in an index of keys only there is no more than these."""
    entity = key.entity
    if key.index.projection == "KEYS_ONLY":
        return components.schema(f"{entity.__name__}Keys", _keys_schema(entity))
    return components.schema(entity.__name__, _entity_schema(entity))


def _entity_schema(entity: type[Entity]) -> Schema:
    described, fields = _fields(entity)
    present = {name: _without_null(schema) for name, schema in fields.items()}
    version = {
        "description": "counts the item's changes; the ETag is made of it",
        "type": "integer",
        "minimum": FIRST_VERSION,
    }
    properties = {"Type": {"const": entity.__name__}, **present, "Version": version}
    optional = [name for name, schema in fields.items() if schema != present[name]]
    return _exactly(properties, optional) | {"description": described}


def _keys_schema(entity: type[Entity]) -> Schema:
    _, fields = _fields(entity)
    schema = _exactly({name: fields[name] for name in entity.primary.fields})
    return schema | {"description": f"What the keys of the {entity.__name__} say, and no more."}


def _fields(entity: type[Entity]) -> tuple[str, dict[str, Schema]]:
    """The entity's description, and the schema of each field: those of its key come first."""
    _, parts = json.schema_components([entity], ref_template=f"{_SCHEMAS}{{name}}")
    schema = _tidy(parts[entity.__name__])
    names = dict.fromkeys((*entity.primary.fields, *schema["properties"]))
    return schema["description"], {name: schema["properties"][name] for name in names}


def _any_of(pattern: AccessPattern, refs: list[Schema], components: Components) -> Schema:
    """The schema of a list's items, told apart by their `Type` where they can be several."""
    if len(refs) == 1:
        return refs[0]
    names = [entity.__name__ for entity in pattern.entities]
    mapping = {name: ref["$ref"] for name, ref in zip(names, refs, strict=True)}
    discriminator = {"propertyName": "Type", "mapping": mapping}
    return components.schema("Or".join(names), {"oneOf": refs, "discriminator": discriminator})


def _page(item: Schema, components: Components) -> Schema:
    name = item["$ref"].removeprefix(_SCHEMAS)
    most = plain(PageLimit)["maximum"]
    found = {"type": "array", "items": item, "maxItems": most}
    return components.schema(
        f"{name}Page", _exactly({"items": found, "next": _following(components)})
    )


def _following(components: Components) -> Schema:
    return {"anyOf": [components.schema("Cursor", plain(Cursor)), {"type": "null"}]}


def _progress(components: Components) -> Schema:
    changed = {"type": "integer", "minimum": 0, "description": "How many entries were not so yet."}
    return _exactly({"changed": changed, "next": _following(components)})


def _whole_items() -> Schema:
    item = {
        "type": "object",
        "description": "What the statement selects: a whole item has its keys as well.",
    }
    token = {"type": ["string", "null"], "description": "For the page that follows; null if none."}
    return _exactly({"Items": {"type": "array", "items": item}, "NextToken": token})


def _exactly(properties: dict[str, Schema], optional: list[str] | None = None) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in (optional or [])],
        "additionalProperties": False,
    }


def _without_null(schema: Schema) -> Schema:
    """What an attribute is when it is there: one that has no value is left out of an answer."""
    present = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    return present[0] if len(present) == 1 else schema


def _tidy(schema: Any) -> Any:
    """A schema of msgspec's in the words of our answers: a decimal is a JSON number here."""
    if isinstance(schema, list):
        return [_tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {name: _tidy(each) for name, each in schema.items() if (name, each) != ("default", None)}
    if tidy.get("format") == "decimal":
        del tidy["format"]
        tidy["type"] = "number"
    if all(isinstance(each, str) for each in tidy.get("enum", [1])):
        tidy["type"] = "string"
    if isinstance(tidy.get("pattern"), str):
        tidy["pattern"] = tidy["pattern"].replace(END, "$")
    if isinstance(tidy.get("description"), str):
        tidy["description"] = " ".join(tidy["description"].split())
    return tidy
