"""Change logs as the SQL that they stand for, on the lines where they say it."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.schemas import liquibase, sql
from stationmaster.reading.code.schemas.sql import Table
from stationmaster.repos import contents


def tables_of_xml(changes: str) -> tuple[Table, ...]:
    text = f"<databaseChangeLog><changeSet id='1'>{changes}</changeSet></databaseChangeLog>"
    log = liquibase.of_xml(contents.xml(text))
    assert log is not None
    schema = sql.Schema()
    schema.apply("log.xml", log.sql)
    return schema.tables()


_PETS = """
    <createTable tableName="pets">
      <column name="id" type="INT" autoIncrement="true">
        <constraints primaryKey="true" nullable="false" />
      </column>
      <column name="name" type="VARCHAR(20)"><constraints unique="true" /></column>
      <column name="owner" type="INT" />
    </createTable>
"""


def test_a_table_is_on_the_lines_of_its_elements() -> None:
    (pets,) = tables_of_xml(_PETS)
    assert (pets.name, pets.line, pets.end) == ("pets", 2, 7)
    assert [(each.name, each.type, each.is_key, each.is_unique, each.line)
            for each in pets.columns] == [
        ("id", "INT", True, False, 3),
        ("name", "VARCHAR(20)", False, True, 6),
        ("owner", "INT", False, False, 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ('<addColumn tableName="pets"><column name="age" type="INT"/></addColumn>',
         ["id", "name", "owner", "age"]),
        ('<dropColumn tableName="pets" columnName="name"/>', ["id", "owner"]),
        ('<dropColumn tableName="pets"><column name="id"/><column name="name"/></dropColumn>',
         ["owner"]),
        ('<renameColumn tableName="pets" oldColumnName="name" newColumnName="called"/>',
         ["id", "called", "owner"]),
        ('<sql>ALTER TABLE pets ADD COLUMN age int</sql>', ["id", "name", "owner", "age"]),
        ('<rollback><dropColumn tableName="pets" columnName="name"/></rollback>',
         ["id", "name", "owner"]),
    ],
)  # fmt: skip
def test_later_changes_change_the_columns(change: str, columns: list[str]) -> None:
    (pets,) = tables_of_xml(_PETS + change)
    assert [each.name for each in pets.columns] == columns


def test_tables_are_dropped_and_renamed() -> None:
    assert not tables_of_xml(_PETS + '<dropTable tableName="pets"/>')
    rename = '<renameTable oldTableName="pets" newTableName="animals"/>'
    assert [each.name for each in tables_of_xml(_PETS + rename)] == ["animals"]


def test_types_and_references_are_as_the_last_change_says() -> None:
    (pets,) = tables_of_xml(
        _PETS + '<modifyDataType tableName="pets" columnName="id" newDataType="BIGINT"/>'
        '<addForeignKeyConstraint baseTableName="pets" baseColumnNames="owner" '
        'constraintName="fk" referencedTableName="people" referencedColumnNames="id"/>'
    )
    assert [(each.type, each.references) for each in pets.columns] == [
        ("BIGINT", ""), ("VARCHAR(20)", ""), ("INT", "people.id"),
    ]  # fmt: skip


def test_other_documents_are_no_change_logs() -> None:
    assert liquibase.of_xml(contents.xml("<project/>")) is None
