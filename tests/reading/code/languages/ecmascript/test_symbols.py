from __future__ import annotations

from functools import partial

import pytest

from tests.reading.code.reading import facts_of, symbol

javascript = partial(facts_of, "JavaScript")
typescript = partial(facts_of, "TypeScript")


def test_declarations_have_their_containers_documents_bases_and_marks() -> None:
    facts = typescript("""
        /** What is owed. More of it. */
        @Entity()
        export class Invoice<T> extends Base<T> implements Owed, Paid {
          private amount: number = 1;
          constructor(@Inject(X) private repo: Repo) {}
          /** Adds up.
           * @returns a sum */
          @Log('x')
          async total(tax: number): Promise<number> { return add(tax) }
          pay = () => 1;
          #hidden() {}
        }
        /** Not its document. */

        class Own {}
        /** Its document.
         * @public */

        class Documented {}
        export const LIMIT: number = 10, rate = (a: number) => a;
        export interface Owed extends Thing { amount: number }
        export type Kind = 'a' | 'b';
        enum Colour { Red }
        export { Own as Other };
    """)
    assert facts.status == "ok"
    invoice = symbol(facts, "Invoice")
    assert (invoice.kind, invoice.doc, invoice.is_public) == ("class", "What is owed.", True)
    assert (invoice.bases, invoice.marks) == (("Base", "Owed", "Paid"), ("Entity",))
    total = symbol(facts, "Invoice.total")
    assert (total.kind, total.doc, total.marks) == ("method", "Adds up.", ("Log",))
    assert not symbol(facts, "Invoice.amount").is_public
    assert symbol(facts, "Invoice.constructor").kind == "constructor"
    assert symbol(facts, "Invoice.pay").kind == "method"
    assert not symbol(facts, "Invoice.#hidden").is_public
    assert symbol(facts, "Own").doc == ""
    assert symbol(facts, "Documented").doc == "Its document."
    assert symbol(facts, "Own").is_public
    assert symbol(facts, "LIMIT").signature == "LIMIT: number"
    assert symbol(facts, "rate").kind == "function"
    assert symbol(facts, "Owed").bases == ("Thing",)
    assert symbol(facts, "Kind").kind == "type"
    assert not symbol(facts, "Colour").is_public
    assert facts.exports == ("Invoice", "LIMIT", "rate", "Owed", "Kind", "Other")


def test_imports_say_what_they_take_and_how_much_they_weigh() -> None:
    facts = typescript("""
        import d, { type P, q as r } from 'q';
        import * as ns from 'ns';
        import type { Z } from './z';
        import './side';
        export * from './all';
        export { a as b } from './some';
        const fs = require('fs');
        const { join: j } = require('path');
        function later() { return require('./late') }
        app.get('/x', async () => { await import('./page') });
        new Worker(new URL('./worker.ts', import.meta.url));
        new URL('./data.json', import.meta.url);
        import(unknown);
        other.require('no');
    """)
    assert [(each.name, each.kind, each.names, each.bound) for each in facts.imports] == [
        ("q", "module", ("default", "q"), ("d", "r")),
        ("q", "type", ("P",), ("P",)),
        ("ns", "module", (), ("ns",)),
        ("./z", "type", ("Z",), ("Z",)),
        ("./side", "module", (), ()),
        ("./all", "reexport", ("*",), ("*",)),
        ("./some", "reexport", ("a",), ("b",)),
        ("fs", "module", (), ("fs",)),
        ("path", "module", ("join",), ("j",)),
        ("./late", "lazy", (), ()),
        ("./page", "dynamic", (), ()),
        ("./worker.ts", "dynamic", (), ()),
    ]


def test_modules_of_node_export_what_they_assign() -> None:
    facts = javascript("""
        function open() {}
        exports.close = function () {};
        Door.prototype.knock = function () {};
        function Door() {}
        module.exports = { open, Door, hinge: 1 };
    """)
    assert facts.exports == ("close", "open", "Door", "hinge")
    assert symbol(facts, "open").is_public
    assert symbol(facts, "close").is_public
    assert symbol(facts, "Door.knock").kind == "method"


def test_a_function_whose_prototype_has_methods_is_a_class() -> None:
    facts = javascript("""
        function Door() {}
        Door.prototype.knock = function () {};
        function Hidden() {}
        Hidden.prototype.look = function () {};
        function door() { return new Door() }
        module.exports = door;
    """)
    assert [
        (symbol(facts, name).kind, symbol(facts, name).is_public)
        for name in (
            "Door",
            "Door.knock",
            "Hidden",
            "Hidden.look",
            "door",
        )
    ] == [
        ("class", True),
        ("method", True),
        ("class", False),
        ("method", False),
        ("function", True),
    ]


def test_a_script_exports_nothing() -> None:
    assert javascript("function run() {}").exports is None


def test_calls_are_told_with_who_calls() -> None:
    facts = facts_of("TSX", """
        class Cart { add() { this.check(new Item()) } }
        export const View = () => <List><div/></List>;
        setup();
    """)  # fmt: skip
    assert [(each.name, each.of, each.caller) for each in facts.calls] == [
        ("Item", "", "Cart.add"),
        ("check", "this", "Cart.add"),
        ("List", "", "View"),
        ("setup", "", ""),
    ]


@pytest.mark.parametrize("language", ["JavaScript", "TypeScript", "TSX"])
@pytest.mark.parametrize("text", ["", "export", "import from", "require()", "@", "a.b.=("])
def test_broken_files_cost_nothing(language: str, text: str) -> None:
    assert facts_of(language, text).status in ("ok", "errors")


def test_functions_given_to_an_object_one_by_one_are_its_methods() -> None:
    facts = javascript("""
        var res = Object.create(http.ServerResponse.prototype)
        module.exports = res
        /** Sends it. */
        res.send = function send(body) { return this.end(body) }
        res.json = (value) => res.send(value)
        res._hidden = function () {}
        res.limit = 3
    """)
    assert (symbol(facts, "res").kind, symbol(facts, "res").is_public) == ("object", True)
    send = symbol(facts, "res.send")
    assert (send.kind, send.doc, send.is_public) == ("method", "Sends it.", True)
    assert not symbol(facts, "res._hidden").is_public
    assert "limit" not in [each.name for each in facts.symbols]


@pytest.mark.parametrize(
    ("comment", "sentence"),
    [
        ("Determines the {@link Level level} of a {@link User}.\n * @param user a user",
         "Determines the level of a User."),
        ("See {@link https://example.com/a@b | the rules}, or [those]{@link Rules}.",
         "See the rules, or those."),
        ("Reads what @Injectable classes\n * @see Other\n * are given.",
         "Reads what @Injectable classes"),
        ("{@inheritDoc Base.read}", ""),
        ("@param user {@link User}", ""),
    ],
)  # fmt: skip
def test_a_comment_ends_at_a_tag_that_begins_a_line_and_links_are_told_by_their_words(
    comment: str, sentence: str
) -> None:
    facts = typescript(f"/**\n * {comment}\n */\nexport function level(user) {{}}\n")
    assert symbol(facts, "level").doc == sentence
    assigned = javascript(f"/**\n * {comment}\n */\nexports.level = function (user) {{}}\n")
    assert symbol(assigned, "level").doc == sentence


def test_a_comment_on_the_whole_file_tells_links_by_their_words() -> None:
    facts = typescript("/**\n * @fileoverview Holds a {@link Till} of a shop.\n */\nf()\n")
    assert facts.doc == "Holds a Till of a shop."


def test_modules_that_are_required_for_others_are_handed_on_under_their_names() -> None:
    facts = javascript("""
        module.exports.users = require('./users');
        exports.tills = require('./tills')(1);
        module.exports = { orders: require('./orders') };
    """)
    made = [(it.name, it.kind, it.bound) for it in facts.imports]
    assert made == [
        ("./users", "reexport", ("users",)), ("./tills", "module", ()),
        ("./orders", "reexport", ("orders",)),
    ]  # fmt: skip


def test_functions_of_an_object_that_a_module_hands_out_are_declared() -> None:
    facts = javascript("""
        module.exports = {
          async show(ctx) { return list(ctx) },
          /** Adds one. */
          post: async (ctx) => { return make(ctx) },
          feed: { async show(ctx) { return feed(ctx) } },
          size: 3,
        };
        const other = { hidden() { return own() } };
    """)
    made = [(it.qualified, it.kind, it.doc) for it in facts.symbols if it.name != "other"]
    assert made == [
        ("show", "function", ""), ("post", "function", "Adds one."), ("feed", "object", ""),
        ("feed.show", "method", ""),
    ]  # fmt: skip
    callers = {call.name: call.caller for call in facts.calls}
    assert callers == {"list": "show", "make": "post", "feed": "feed.show", "own": "other"}


def test_what_a_component_is_wrapped_in_gives_it_back() -> None:
    facts = facts_of(
        "JavaScript",
        """
        import React, { memo, forwardRef } from 'react';
        const Card = React.memo(({ id, title }) => <p>{title}</p>);
        const Field = memo(forwardRef((props, ref) => <input ref={ref} />));
        const price = compute((row) => row.price);
        export { Card, Field, price };
    """,
    )
    kinds = {it.name: it.kind for it in facts.symbols}
    assert kinds == {"Card": "function", "Field": "function", "price": "variable"}


def test_others_see_what_an_object_holds_that_is_handed_out_by_default() -> None:
    facts = facts_of(
        "JavaScript",
        """
        const create = (body) => post('/cards', body);
        const remove = (id) => post('/cards', id);
        const hidden = () => 1;
        export default { create, delete: remove };
    """,
    )
    assert {it.name for it in facts.symbols if it.is_public} == {"create", "remove"}
