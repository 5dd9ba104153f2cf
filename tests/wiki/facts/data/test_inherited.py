"""Columns of classes that tables are built on, in other files."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

_SEQUELIZE = 'import { Table, Column, CreatedAt, DeletedAt } from "sequelize-typescript";\n'


@pytest.mark.parametrize(
    "files",
    [
        {
            "package.json": "{}",
            "models/base/IdModel.ts": f"{_SEQUELIZE}class IdModel<T extends object = any>"
            " extends Model<T> {\n  @Column\n  id: string;\n  @CreatedAt\n  createdAt: Date;\n}\n"
            "export default IdModel;\n",
            "models/base/Paranoid.ts": f'{_SEQUELIZE}import IdModel from "./IdModel";\n'
            "class Paranoid<T> extends IdModel<T> {\n  @DeletedAt\n  deletedAt: Date;\n}\n"
            "export default Paranoid;\n",
            "models/Share.ts": f'{_SEQUELIZE}import Paranoid from "./base/Paranoid";\n'
            '@Table({ tableName: "shares" })\nclass Share extends Paranoid<Share> {\n'
            "  @Column\n  domain: string;\n}\nexport default Share;\n",
        },
        {
            "src/a/Base.java": "package a;\nimport jakarta.persistence.*;\n@MappedSuperclass\n"
            "public abstract class Base {\n  @Id Long id;\n  Date createdAt;\n}\n",
            "src/a/Named.java": "package a;\nimport jakarta.persistence.*;\n@MappedSuperclass\n"
            "public class Named extends Base {\n  Date deletedAt;\n}\n",
            "src/a/Share.java": "package a;\nimport jakarta.persistence.*;\n@Entity\n"
            '@Table(name = "shares")\npublic class Share extends Named implements X {\n'
            "  String domain;\n}\n",
        },
        {
            "shop/__init__.py": "",
            "shop/base.py": "from sqlalchemy.orm import Mapped, mapped_column\n"
            "class Times:\n    createdAt: Mapped[int] = mapped_column()\n"
            "    deletedAt: Mapped[int] = mapped_column()\n",
            "shop/models.py": "from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column\n"
            "from shop.base import Times\nclass Base(DeclarativeBase):\n    pass\n"
            "class Share(Times, Base):\n    __tablename__ = 'shares'\n"
            "    id: Mapped[int] = mapped_column(primary_key=True)\n"
            "    domain: Mapped[str] = mapped_column()\n",
        },
        {
            "shop/base.py": "from django.db import models\nclass Times(models.Model):\n"
            "    createdAt = models.DateField()\n    deletedAt = models.DateField()\n"
            "    class Meta:\n        abstract = True\n",
            "shop/models.py": "from django.db import models\nfrom shop.base import Times\n"
            "class Share(Times):\n    id = models.AutoField(primary_key=True)\n"
            "    domain = models.TextField()\n    class Meta:\n        db_table = 'shares'\n",
        },
    ],
    ids=["Sequelize", "JPA", "SQLAlchemy", "Django"],
)  # fmt: skip
def test_columns_of_classes_in_other_files(files: dict[str, str]) -> None:
    (table,) = stored(facts_of(files))
    assert table.name == "shares"
    names = [it.name for it in table.columns]
    assert sorted(names) == ["createdAt", "deletedAt", "domain", "id"]
    assert names.index("createdAt") < names.index("domain")


def test_a_base_that_several_files_declare_says_nothing() -> None:
    base = (
        "from django.db import models\nclass Times(models.Model):\n"
        "    made = models.DateField()\n    class Meta:\n        abstract = True\n"
    )
    (table,) = stored(facts_of({
        "a/base.py": base, "b/base.py": base,
        "c/models.py": "from django.db import models\nfrom elsewhere import Times\n"
        "class Share(Times):\n    domain = models.TextField()\n",
    }))  # fmt: skip
    assert [it.name for it in table.columns] == ["domain"]
