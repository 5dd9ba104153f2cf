"""Settings that are fields of classes of pydantic: when one is needed, and what it means."""

from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import Setting
from tests.reading.code.reading import facts_of

python = partial(facts_of, "Python")
HEAD = """
from typing import Annotated, Literal, Optional
from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings
"""


def settings(text: str) -> dict[str, Setting]:
    return {each.name: each for each in python(text).settings}


def fields(*lines: str) -> dict[str, Setting]:
    return settings(f"{HEAD}\nclass Shop(BaseSettings):\n    " + "\n    ".join(lines))


def test_fields_of_pydantic_settings_are_variables_of_the_environment() -> None:
    facts = python("""
        from pydantic import BaseModel, Field
        from pydantic_settings import BaseSettings, SettingsConfigDict

        class Common(BaseSettings):
            model_config = SettingsConfigDict(env_prefix="SHOP_")
            port: int = 80
            url: str
            key: str = Field(default="x", alias="SECRET")

        class Own(Common):
            extra: str = "e"

        class Other(BaseModel):
            no: int = 1
    """)
    assert [(s.name, s.default, s.is_required) for s in facts.settings] == [
        ("SHOP_PORT", "80", False),
        ("SHOP_URL", None, True),
        ("SECRET", "x", False),
        ("SHOP_EXTRA", "e", False),
    ]


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ('model_config = SettingsConfigDict(env_prefix="SHOP_", env_nested_delimiter="__")',
         "SHOP_DB__HOST"),
        ('model_config = {"env_prefix": "SHOP_", "env_nested_delimiter": "_"}', "SHOP_DB_HOST"),
        ('class Config:\n        env_prefix = "SHOP_"\n        env_nested_delimiter = "__"',
         "SHOP_DB__HOST"),
        ('model_config = SettingsConfigDict(env_prefix="SHOP_")', "SHOP_DB"),
    ],
)  # fmt: skip
def test_models_in_settings_have_variables_where_a_sign_parts_them(config: str, name: str) -> None:
    found = settings(
        f"{HEAD}\nfrom pydantic import BaseModel\nclass Db(BaseModel):\n    host: str\n"
        f"class Base(BaseSettings):\n    {config}\n"
        "class Shop(Base):\n    db: Db | None = None\n    port: int\n"
    )
    assert {key: (it.is_required, it.type) for key, it in found.items()} == {
        name: (False, "str" if name.endswith("HOST") else "Db | None"), "SHOP_PORT": (True, "int"),
    }  # fmt: skip


def test_settings_may_be_built_on_a_base_of_the_projects_own() -> None:
    text = "from core import BaseAppSettings\nclass App(BaseAppSettings):\n    port: int = 80\n"
    assert [each.name for each in python(f"import pydantic\n{text}").settings] == ["PORT"]
    assert python(text).settings == ()


@pytest.mark.parametrize(
    ("line", "default", "is_required"),
    [
        ("port: int", None, True),
        ("port: int = Field()", None, True),
        ("port: int = Field(...)", None, True),
        ("port: int = Field(80)", "80", False),
        ("port: list = Field(default_factory=list)", None, False),
        ("port: Annotated[int, Field(gt=1)]", None, True),
        ("port: Annotated[int, Field(gt=1)] = 80", "80", False),
        ("port: Annotated[list, Field(default_factory=list)]", None, False),
        ("port: Port = Port()", None, False),
        ("port: Path = here('data')", None, False),
        ("port: Optional[int]", None, True),
    ],
)
def test_only_a_field_without_anything_that_fills_it_is_required(
    line: str, default: str | None, is_required: bool
) -> None:
    found = fields(line)["PORT"]
    assert (found.default, found.is_required) == (default, is_required)


def test_a_field_that_may_be_none_had_that_as_its_default_before_the_second_version() -> None:
    found = settings(
        "from typing import Optional\nfrom pydantic import BaseSettings\n"
        "class Shop(BaseSettings):\n    a: Optional[int]\n    b: int\n    c: int | None\n"
    )
    assert {name: each.is_required for name, each in found.items()} == {
        "A": False, "B": True, "C": False,
    }  # fmt: skip


def test_a_field_that_the_file_itself_fills_when_it_makes_the_class_is_not_required() -> None:
    found = settings(f"""{HEAD}
class Common(BaseSettings):
    SECRET: str
    STAGE: str
class Shop(Common):
    KEY: str
    URL: str
    HOST: str
def make(path):
    own = {{"SECRET": read(path), "URL": "x"}}
    return Shop(_env_file=path, KEY=key(), **own)
""")
    assert {name: each.is_required for name, each in found.items()} == {
        "SECRET": False, "STAGE": True, "KEY": False, "URL": False, "HOST": True,
    }  # fmt: skip


def test_a_field_that_a_validator_fills_is_not_required() -> None:
    found = settings(f"""{HEAD}
from pydantic import model_validator, validator
class Shop(BaseSettings):
    a: str
    b: str
    c: str
    @validator("a", pre=True, always=True)
    def make_a(cls, value): return value or "a"
    @model_validator(mode="before")
    def make_b(cls, values):
        values.setdefault("b", values["c"])
        return values
""")
    assert {name: each.is_required for name, each in found.items()} == {
        "A": False, "B": False, "C": True,
    }  # fmt: skip


def test_a_field_may_have_other_names() -> None:
    assert set(fields("a: int = Field(1, validation_alias=AliasChoices('ONE', 'TWO'))")) == {"ONE"}


@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        (("port: int = Field(80, description='Where it listens. More.')",), "Where it listens."),
        (("port: int = 80", '"""Where it listens."""'), "Where it listens."),
        (("port: int = 80  # where it listens",), "where it listens"),
        (("# The port that it listens on.", "port: int = 80"), "The port that it listens on."),
        (("port: int = 80", '"""A port (e.g. `80`, or none)."""'), "A port (e.g. `80`, or none)."),
        (("port: int = 80  # type: ignore[x]",), ""),
        (("# Network", "port: int = 80"), ""),
        (("# =======", "# All of the network", "port: int = 80"), ""),
        (("# host: str = 'all of them'", "port: int = 80"), ""),
        (("host: str = ''  # all of them", "port: int = 80"), ""),
    ],
)
def test_a_meaning_is_what_stands_by_the_field(lines: tuple[str, ...], meaning: str) -> None:
    assert fields(*lines)["PORT"].doc == meaning


def test_a_default_out_of_a_list_of_words_is_told_apart() -> None:
    found = fields("a: Literal['on', 'off'] = 'on'", "b: str = 'on'")
    assert (found["A"].is_choice, found["B"].is_choice) == (True, False)
