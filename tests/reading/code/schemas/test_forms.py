"""Prisma, Rails' schema, Protocol Buffers, GraphQL, example environments: one small file each."""

import pytest

from stationmaster.reading.code.schemas import env, graphql, prisma, proto, rails


def test_prisma_tells_tables_columns_and_relations() -> None:
    ((user, post, role),) = prisma.read(
        [
            """
model User {
  id    Int    @id @default(autoincrement()) @map("user_id")
  email String @unique // a comment
  posts Post[]
  @@map("users")
}
model Post {
  slug     String
  lang     String
  authorId Int   @map("author_id")
  author   User  @relation(fields: [authorId], references: [id])
  @@id([slug, lang])
}
enum Role {
  ADMIN
  USER
}
"""
        ]
    )
    assert (user.name, user.symbol, user.line, user.end) == ("users", "User", 2, 7)
    assert [(c.name, c.type, c.is_key, c.is_unique) for c in user.columns] == [
        ("user_id", "Int", True, False), ("email", "String", False, True),
    ]  # fmt: skip
    assert [(c.name, c.is_key, c.references) for c in post.columns] == [
        ("slug", True, ""), ("lang", True, ""), ("author_id", False, "users.user_id"),
    ]  # fmt: skip
    assert (role.kind, [c.name for c in role.columns]) == ("enum", ["ADMIN", "USER"])


def test_the_schema_of_rails_tells_tables_keys_and_references() -> None:
    stories, tags, _ = rails.read(
        """
ActiveRecord::Schema[8.0].define(version: 2025) do
  create_table "stories", id: { type: :bigint, unsigned: true }, force: :cascade do |t|
    t.string "title", limit: 150, null: false
    t.bigint "user_id", null: false
    t.string "short_id"
    t.index ["short_id"], name: "unique_short_id", unique: true
    t.index ["user_id", "title"], name: "both", unique: true
  end
  create_table "tags_stories", id: false do |t|
    t.integer "tag"
  end
  create_table "users" do |t|
  end
  add_foreign_key "stories", "users"
  add_foreign_key "tags_stories", "stories", column: "tag", primary_key: "short_id"
end
"""
    )
    assert [(c.name, c.type, c.is_key, c.is_unique, c.references) for c in stories.columns] == [
        ("id", "bigint", True, False, ""), ("title", "string(150)", False, False, ""),
        ("user_id", "bigint", False, False, "users.id"), ("short_id", "string", False, True, ""),
    ]  # fmt: skip
    assert [(c.name, c.references) for c in tags.columns] == [("tag", "stories.short_id")]
    assert (stories.line, stories.end) == (3, 9)


def test_protocol_buffers_tell_services_and_messages() -> None:
    told = proto.read(
        """
syntax = "proto3";
package shop.v1;
// Keeps carts.
service Carts {
  // Adds one.
  rpc Add (AddRequest) returns (google.protobuf.Empty) {
    option (google.api.http) = { post: "/v1/carts" body: "*" };
  }
  rpc Watch (stream AddRequest) returns (stream Cart);
}
message Cart {
  reserved 4;
  repeated Item items = 1 [deprecated = true];
  map<string, int32> counts = 2;
  oneof owner { string user = 5; string team = 6; }
  message Item { string id = 1; }
}
enum State { UNKNOWN = 0; }
"""
    )
    (service,) = told.services
    assert (told.package, service.name, service.doc) == ("shop.v1", "Carts", "Keeps carts.")
    add, watch = service.rpcs
    assert (add.name, add.request, add.response) == ("Add", "AddRequest", "google.protobuf.Empty")
    assert (add.http, add.doc, add.line) == ("POST /v1/carts", "Adds one.", 7)
    assert (watch.streams_in, watch.streams_out) == (True, True)
    assert {m.name: [(f.type, f.name) for f in m.fields] for m in told.messages} == {
        "Cart.Item": [("string", "id")],
        "Cart": [("repeated Item", "items"), ("map<string,int32>", "counts"),
                 ("string", "user"), ("string", "team")],
        "State": [("", "UNKNOWN")],
    }  # fmt: skip


def test_graphql_tells_types_and_what_can_be_asked() -> None:
    told = graphql.read(
        '''
schema { query: Root }
"""What can be asked."""
type Root implements Node & Other @key(fields: "id") {
  "One of them."
  book(id: ID! = "x", tags: [String!]! = ["a"]): Book @deprecated(reason: "old { ")
  books: [Book!]!
}
input NewBook { title: String = "none" }
enum Color { RED @deprecated GREEN }
union Any = Book | Color
scalar Date
extend type Root { more: Int }
query { not: schema }
'''
    )
    assert told.roots["query"] == "Root"
    root = told.types[0]
    assert (root.name, root.doc, root.bases) == ("Root", "What can be asked.", ("Node", "Other"))
    book, books = root.fields
    assert (book.arguments, book.type) == (("id: ID!", "tags: [String!]!"), "Book")
    assert (book.doc, book.is_deprecated, book.line) == ("One of them.", True, 6)
    assert books.type == "[Book!]!"
    assert [(t.kind, t.name, [f.name for f in t.fields], t.bases) for t in told.types[1:]] == [
        ("input", "NewBook", ["title"], ()), ("enum", "Color", ["RED", "GREEN"], ()),
        ("union", "Any", [], ("Book", "Color")), ("scalar", "Date", [], ()),
        ("type", "Root", ["more"], ()),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["type", "type A {", "union A =", "{ {", "schema", 'type A { b(c: "']
)
def test_broken_graphql_is_read_as_far_as_it_goes(text: str) -> None:
    assert len(graphql.read(text).types) <= 1


@pytest.mark.parametrize("text", ["message", "message A {", "service S { rpc", "} ; =", "rpc X ("])
def test_broken_protocol_buffers_are_read_as_far_as_they_go(text: str) -> None:
    assert not proto.read(text).messages


def test_example_environments_tell_names_and_comments_and_no_values() -> None:
    told = env.read(
        "# Where it listens.\n#\n# Type: number\nPORT=8080\n\n# A title\n\nexport HOST=h\n"
        "# DEBUG=1\n## A == b\nlower=1\nDEBUG=0\nTHIS IS=no\n"
    )
    assert [(each.name, each.line, each.doc, each.is_set) for each in told] == [
        ("PORT", 4, "Where it listens.", True), ("HOST", 8, "", True), ("DEBUG", 12, "", True),
    ]  # fmt: skip


def test_the_paragraph_on_a_variable_counts_with_what_calls_it_deprecated() -> None:
    told = env.read(
        "# All on mails.\n#\n# How many tries there are.\nTRIES=1\n"
        "# Where mails go.\n#\n# Deprecated: use MAIL_TO.\nMAILS=a\n"
        "# MAIL_TO: the first one.\n#\n# MAIL_CC: the others.\nMAIL_CC=b\n"
    )
    assert [it.doc for it in told] == [
        "How many tries there are.",
        "Where mails go. Deprecated: use MAIL_TO.",
        "MAIL_CC: the others.",
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".env.example", True), ("a/.env.sample", True), ("server.env.example", True),
        (".env.dist", True), ("example.env", True), (".env.local.example", True),
        (".env", False), (".env.production", False), ("environment.py", False),
    ],
)  # fmt: skip
def test_only_examples_of_environments_are_opened(path: str, expected: bool) -> None:
    assert env.is_example(path) is expected
