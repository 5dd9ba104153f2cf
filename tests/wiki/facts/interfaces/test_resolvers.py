"""GraphQL that code declares without a schema in a file."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces import contracts
from stationmaster.wiki.pages.interfaces.contracts import GRAPHQL, plan
from tests.wiki.commits import facts_of, written

NEST = """import { Args, Context, Mutation, Query, Resolver } from "@nestjs/graphql";

@Resolver(() => Book)
export class BooksResolver {
  /** All books. */
  @Query(() => [Book], { name: "library" })
  @UseGuards(Roles("admin"))
  async books(@Args("first", { type: () => Int }) first: number, @Context() ctx: any) {}

  @Mutation()
  addBook(@Args() data: BookInput): Promise<Book> {}

  @ResolveField()
  author(@Parent() book: Book) {}
}
"""
SPRING = """package shop;

import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.MutationMapping;

@Controller
public class Books {
    @QueryMapping
    public Book bookById(@Argument String id, Principal user) { return null; }

    @MutationMapping("addIt")
    public Mono<Book> add(@Argument("input") @Valid BookInput input) { return null; }
}
"""
STRAWBERRY = '''import strawberry


@strawberry.type
class Query:
    books: list[Book] = strawberry.field(resolver=all_books)

    @strawberry.field
    def book_by(self, info: Info, id: strawberry.ID, title: str = "x") -> Book:
        """One book."""

    def helper(self): ...


@strawberry.type
class Orders:
    @strawberry.mutation
    async def add_order(self, count: int) -> Order: ...
'''
GRAPHENE = """import graphene


class Query(graphene.ObjectType):
    book = graphene.Field(Book, id=graphene.ID())

    def resolve_book(root, info, id): ...


class ShopMutations(graphene.ObjectType):
    add_book = AddBook.Field()
    title = "Books"


class Subscription(graphene.ObjectType):
    price = graphene.Int()
"""
HOT = """using Shop.Data;

public class Books
{
    /// <summary>One book.</summary>
    public async Task<Book> GetBookAsync([Service] Db db, int id, CancellationToken token) => null;
    private int Count() => 1;
}
"""
START = "using HotChocolate;\nbuilder.Services.AddGraphQLServer().AddQueryType<Books>();\n"
RUBY = """module Types
  class QueryType < Types::BaseObject
    field :one_book, Types::BookType, null: true do
      argument :id, ID, required: true
    end
  end
end
"""
NEXUS = """import { queryField } from "nexus";
export const books = queryField("books", { type: "Book" });
builder.mutationField('addBook', (t) => t.field({}));
"""
APOLLO = """import { gql } from "apollo-server";

export const schema = gql`
  type Book { id: ID! }
  type Query { books(first: Int): [Book] }
`;
"""


@pytest.mark.parametrize(
    ("files", "asked"),
    [
        ({"books.resolver.ts": NEST}, [
            ("query", "library", "[Book]", ("first: number",), 8),
            ("mutation", "addBook", "Book", ("data: BookInput",), 11),
        ]),
        ({"Books.java": SPRING}, [
            ("query", "bookById", "Book", ("id: String",), 9),
            ("mutation", "addIt", "Book", ("input: BookInput",), 12),
        ]),
        ({"schema.py": STRAWBERRY}, [
            ("query", "bookBy", "Book", ("id: strawberry.ID", "title: str"), 9),
            ("query", "books", "", (), 6),
            ("mutation", "addOrder", "Order", ("count: int",), 18),
        ]),
        ({"schema.py": STRAWBERRY + "\nconfig = StrawberryConfig(auto_camel_case=False)\n"}, [
            ("query", "book_by", "Book", ("id: strawberry.ID", "title: str"), 9),
            ("query", "books", "", (), 6),
            ("mutation", "add_order", "Order", ("count: int",), 18),
        ]),
        ({"schema.py": GRAPHENE}, [
            ("query", "book", "", ("id",), 5), ("mutation", "addBook", "", (), 11),
        ]),
        ({"Books.cs": HOT, "Program.cs": START}, [("query", "book", "Book", ("id: int",), 6)]),
        ({"app/query.rb": RUBY}, [("query", "oneBook", "", (), 3)]),
        ({"schema.ts": NEXUS}, [("query", "books", "", (), 2), ("mutation", "addBook", "", (), 3)]),
        ({"schema.js": APOLLO}, [("query", "books", "[Book]", ("first: Int",), 5)]),
        ({"books.ts": NEST.replace("@nestjs/graphql", "@nestjs/common")}, []),
        ({"Books.cs": HOT}, []),
    ],
)  # fmt: skip
def test_queries_and_mutations_are_those_that_a_library_makes_of_code(
    files: dict[str, str], asked: list[tuple[str, str, str, tuple[str, ...], int]]
) -> None:
    assert [
        (it.root, it.field.name, it.field.type, it.field.arguments, it.field.line)
        for it in contracts.asked(facts_of(files))
    ] == asked


def test_a_schema_in_a_file_tells_what_code_declares_as_well() -> None:
    schema = "type Query { library(first: Int): [Book] }\n"
    facts = facts_of({"schema.graphql": schema, "books.resolver.ts": NEST})
    assert [(it.field.name, it.path) for it in contracts.asked(facts)] == [
        ("library", "schema.graphql"), ("addBook", "books.resolver.ts"),
    ]  # fmt: skip


def test_the_page_of_graphql_shows_what_code_declares() -> None:
    facts = facts_of({"books.resolver.ts": NEST})
    (planned,) = (it for it in plan(facts) if it.key == GRAPHQL)
    body = written(facts, planned.write, None, planned.key)
    assert "| `library` | `first: number` | `[Book]` | All books. |" in body
    assert "## Types" not in body
