"""Published price lists as files: which one a file is, and its content.

A file may be anything. It is read in a child process with limits, and nothing in it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import yaml

from stationmaster.errors import BadRequest
from stationmaster.pricing.credits import genai, litellm
from stationmaster.pricing.credits.card import PriceList, encode

SIZE_MAX = 16 * 2**20
"""Bytes of a file; LiteLLM's has three million, that of genai-prices one."""
MODELS_MAX = 50_000
_DEPTH_MAX = 50
_KINDS = (genai, litellm)
_CLAUSES = {
    "ClauseAnd": "and",
    "ClauseContains": "contains",
    "ClauseEndsWith": "ends_with",
    "ClauseEquals": "equals",
    "ClauseOr": "or",
    "ClauseRegex": "regex",
    "ClauseStartsWith": "starts_with",
}


def read(content: bytes, day: date) -> bytes:
    """The list in a file as `lists.encode` makes it, with prices that hold from `day` on where the
    file has no dates.

    JSON of LiteLLM; JSON or YAML of genai-prices, or the `data.py` of its package. Raises
    BadRequest (`bad_price_list`) for everything else.
    """
    if len(content) > SIZE_MAX:
        raise refusal(f"it is larger than {SIZE_MAX // 2**20} MiB")
    document = _document(content)
    kind = next((kind for kind in _KINDS if kind.is_it(document)), None)
    if kind is None:
        raise refusal("it is neither LiteLLM's file nor data of genai-prices")
    try:
        prices: PriceList = kind.read(document, day)
    except (msgspec.MsgspecError, ArithmeticError, RecursionError) as error:
        raise refusal(str(error)[:200]) from error
    if not prices.prices:
        raise refusal("it has no price of tokens")
    if len(prices.prices) > MODELS_MAX:
        raise refusal(f"it has more than {MODELS_MAX} prices")
    return encode(prices)


def refusal(why: str) -> BadRequest:
    """The BadRequest (`bad_price_list`) for a file that cannot be imported."""
    return BadRequest(f"The price list cannot be read: {why}.", code="bad_price_list")


def _document(content: bytes) -> Any:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refusal("it is not UTF-8") from error
    reader = _reader(text.lstrip())
    try:
        return reader(text)
    except (ValueError, ArithmeticError, RecursionError, SyntaxError, yaml.YAMLError) as error:
        is_deep = not str(error) or "maximum nesting depth" in str(error)
        why = "it is nested too deeply" if is_deep else str(error).splitlines()[0]
        raise refusal(why[:200]) from error


def _reader(start: str) -> Callable[[str], Any]:
    if start[:1] in ("{", "["):
        return msgspec.json.Decoder(float_hook=Decimal).decode
    if start.startswith(('"""', "import ", "from ")):
        return _of_python
    return _of_yaml


def _of_yaml(text: str) -> Any:
    """Nesting is bounded before the parser recurses; an alias could expand to any number of
    others."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEPTH_MAX:
            raise refusal("it is nested too deeply")
        if isinstance(event, yaml.AliasEvent):
            raise refusal("it has aliases")
    return yaml.load(text, Loader=yaml.CSafeLoader)


def _of_python(text: str) -> Any:
    """The value of `providers = [...]` in a module that consists of constructor calls."""
    for statement in ast.parse(text).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if names == ["providers"] and isinstance(statement, ast.Assign | ast.AnnAssign):
            return _value(statement.value)
    raise refusal("it has no providers")


def _value(node: ast.expr | None) -> Any:
    """A literal, or a constructor call as the object that it would be in JSON."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(elt) for elt in node.elts]
    if isinstance(node, ast.Dict):
        keys = [_value(key) for key in node.keys]
        return dict(zip(map(str, keys), map(_value, node.values), strict=True))
    if isinstance(node, ast.Call):
        return _called(node)
    return None


def _called(call: ast.Call) -> Any:
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
    arguments = [_value(arg) for arg in call.args]
    members: Mapping[str, Any] = {
        str(keyword.arg): _value(keyword.value) for keyword in call.keywords
    }
    if name == "date" and len(arguments) == 3:
        return date(*arguments)
    if name == "Decimal" and len(arguments) == 1:
        return Decimal(str(arguments[0]))
    if name in _CLAUSES:
        return {_CLAUSES[name]: next(iter(members.values()), None)}
    return members
