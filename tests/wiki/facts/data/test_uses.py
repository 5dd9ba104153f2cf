"""Which functions write, delete and read the rows of a table."""

import pytest

from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.data.uses import uses
from tests.wiki.commits import facts_of

SQL = "CREATE TABLE orders (id int PRIMARY KEY, code text);"
GO = """package store

func (s *Store) Create(code string) { s.db.Exec("INSERT INTO orders (code) VALUES ($1)", code) }
func (s *Store) Rename(code string) { s.db.Exec(`UPDATE orders SET code = $1`, code) }
func (s *Store) Clear() { s.db.Exec("DELETE FROM orders") }
func (s *Store) List() { s.db.Query("SELECT id FROM orders") }
// Count takes rows FROM orders.
func (s *Store) Count() { s.db.Query("SELECT count(*) FROM other") }
"""
DJANGO = """from django.db import models
class Order(models.Model):
    code = models.TextField()

def make(code):
    return Order.objects.create(code=code)

def keep(session):
    session.add(Order(code="a"))

def tidy():
    Order.objects.filter(code="").delete()

def codes():
    return [order.code for order in Order.objects.all()]
"""
PRISMA = "model Order {\n  id Int @id\n  code String\n}\n"
NEST = """export class OrderService {
  constructor(private prisma: PrismaService) {}
  make(code: string) { return this.prisma.order.create({ data: { code } }) }
  drop(id: number) { return this.prisma.order.delete({ where: { id } }) }
  list() { return this.prisma.order.findMany() }
}
"""
JPA = """package shop;
import jakarta.persistence.*;
@Entity class Order { @Id private Long id; private String code; }
"""
SPRING = """package shop;
interface OrderRepository extends JpaRepository<Order, Long> {}
class OrderService {
  private final OrderRepository orders;
  void make(Order order) { orders.save(order); }
  void drop(Long id) { orders.deleteById(id); }
  void list(List<Order> made) { made.add(new Order()); }
  Order one(Long id) { return orders.findById(id).get(); }
}
"""


DRIZZLE = """import { pgTable, serial } from 'drizzle-orm/pg-core';
export const orders = pgTable('orders', { id: serial('id').primaryKey() });
export function make(db, order) { return db.insert(orders).values(order); }
export function tidy(db) { return db.delete(orders).where(old); }
export function list(db) { return db.select().from(orders).where(own); }
"""


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"db/schema.sql": SQL, "store/orders.go": GO},
         [("writes", "Store.Create"), ("writes", "Store.Rename"), ("deletes", "Store.Clear"),
          ("reads", "Store.List")]),
        ({"shop/models.py": DJANGO},
         [("writes", "make"), ("writes", "keep"), ("deletes", "tidy"), ("reads", "codes")]),
        ({"prisma/schema.prisma": PRISMA, "src/orders.ts": NEST},
         [("writes", "OrderService.make"), ("deletes", "OrderService.drop"),
          ("reads", "OrderService.list")]),
        ({"src/main/java/shop/Order.java": JPA, "src/main/java/shop/OrderService.java": SPRING},
         [("writes", "OrderService.make"), ("deletes", "OrderService.drop"),
          ("reads", "OrderService.one")]),
        ({"src/orders.ts": DRIZZLE}, [("writes", "make"), ("deletes", "tidy"), ("reads", "list")]),
        ({"shop/models.py": DJANGO, "shop/other.py": "class Order:\n    pass\n"}, []),
    ],
)  # fmt: skip
def test_functions_are_told_of_by_what_they_do_with_rows(
    files: dict[str, str], told: list[tuple[str, str]]
) -> None:
    facts = facts_of(files)
    (table,) = stored(facts)
    assert [(use.verb, use.symbol) for use in uses(facts, table.key)] == told


@pytest.mark.parametrize(
    "body",
    ['crypto.createHash("sha256").update(orders).digest()', "Array.from(orders).filter(isOpen)",
     "this.context.orders.update(code)", "context.orders.delete(code)"],
)  # fmt: skip
def test_what_is_called_like_a_table_but_on_no_database_is_no_use_of_it(body: str) -> None:
    code = f"export function make(orders, context) {{ return {body}; }}\n"
    facts = facts_of({"db/schema.sql": SQL, "src/orders.js": code})
    (table,) = stored(facts)
    assert uses(facts, table.key) == ()


def test_the_context_of_a_mapper_is_a_database_by_its_import_or_its_type() -> None:
    make = "class Till {\n  private ShopContext _context;\n  void Make(Order o) {\n    %s\n  }\n}\n"
    own = "class ShopContext : DbContext { }\n"
    imported = "using Microsoft.EntityFrameworkCore;\n" + make % "_context.Orders.Add(o);"
    for code in (imported, own + make % "_context.Orders.Add(o);"):
        facts = facts_of({"db/schema.sql": SQL, "Shop.csproj": "<Project/>", "Till.cs": code})
        (table,) = stored(facts)
        assert [(use.verb, use.symbol) for use in uses(facts, table.key)] == [
            ("writes", "Till.Make")
        ]


CLIENT_AND_SERVER = {
    "client/Cargo.toml": '[package]\nname = "client"\n',
    "client/migrations/1_history.sql": "CREATE TABLE history (id text, command text, cwd text);"
    "CREATE TABLE notes (id int, history_id text REFERENCES history (id));",
    "client/src/keep.rs": 'pub fn keep() { query("INSERT INTO history (id) VALUES (?1)"); }\n'
    "#[cfg(test)]\nmod tests {\n"
    '    fn fill() { query("INSERT INTO history (id) VALUES (1)"); }\n}\n',
    "server/Cargo.toml": '[package]\nname = "server"\n',
    "server/migrations/1_history.sql": "CREATE TABLE history (id bigserial, user_id int, data text)"
    "; CREATE TABLE sessions (id int); CREATE TABLE users (id int);",
    "server/src/store.rs": 'pub fn store() { query("INSERT INTO history (data) VALUES ($1)"); }\n',
}


def test_tables_of_one_name_in_two_packages_have_columns_and_functions_of_their_own() -> None:
    facts = facts_of(CLIENT_AND_SERVER)
    tables = {it.key: it for it in stored(facts)}
    client, server = "history (client/migrations)", "history (server/migrations)"
    assert [it.name for it in tables[client].columns] == ["id", "command", "cwd"]
    assert [it.name for it in tables[server].columns] == ["id", "user_id", "data"]
    assert tables["notes"].references == (client,)
    assert [it.symbol for it in uses(facts, client)] == ["keep"]
    assert [it.symbol for it in uses(facts, server)] == ["store"]


def test_packages_for_two_engines_declare_one_database() -> None:
    schema = "CREATE TABLE users (id int);"
    facts = facts_of({
        f"server-{engine}/{path}": text
        for engine in ("postgres", "sqlite")
        for path, text in (
            ("Cargo.toml", f'[package]\nname = "server-{engine}"\n'),
            ("migrations/1_users.sql", schema),
        )
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.key, table.others) == ("users", ("server-sqlite/migrations",))
