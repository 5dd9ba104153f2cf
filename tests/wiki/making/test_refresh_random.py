"""A refresh gives pages, rows and counts of a rebuild, whatever is edited, removed or renamed."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making import generated
from stationmaster.wiki.making.generate import Wiki, write
from stationmaster.wiki.making.memo import Kept, Memory, Nothing
from stationmaster.wiki.transfer.preparing import Prepared, prepare
from tests.support.trees import AS_OF, Content
from tests.wiki.commits import facts_of

SEEDS = 2
STEPS = 5
PYTHON: dict[str, Content] = {
    "README.md": """# Shop

Sells things.

## Cart

The `Cart` holds what somebody buys, until it is paid with `Cart.pay` and sent.

Set `SHOP_KEY` first.
""",
    "docs/mail.md": """# Mail

## Sending

A `Mailer` sends what was bought by a thread of its own, and tries again `SHOP_TRIES` times.
""",
    "pyproject.toml": """[project]
name = 'shop'
dependencies = ['flask']
""",
    "shop/__init__.py": """from shop.cart import Cart
""",
    "shop/cart.py": '''"""The cart."""
import os

from shop.mail.send import Mailer


class Cart:
    """What somebody buys."""

    def __init__(self, mailer: Mailer) -> None:
        self.mailer = mailer
        self.items = []

    def add(self, item):
        self.items.append(item)
        return len(self.items)

    def pay(self):
        key = os.environ['SHOP_KEY']
        self.mailer.send(key)
        self.mailer.later(check)
        return self.add(key)


def check(cart):
    if not cart:
        raise ValueError
    return cart
''',
    "shop/mail/send.py": """import threading


class Mailer:
    def send(self, text):
        body = text.strip()
        self.later(body)
        return body

    def later(self, work):
        threading.Thread(target=self.run, args=(work,)).start()

    def run(self, work):
        # TODO: try again
        for _ in range(3):
            work()
""",
    "shop/web.py": """from flask import Flask

from shop.cart import Cart, check
from shop.mail.send import Mailer

app = Flask(__name__)


@app.get('/cart/<id>')
def show(id):
    cart = Cart(Mailer())
    cart.add(id)
    check(cart)
    return cart.pay()
""",
    "tests/test_cart.py": """from shop.cart import Cart


def test_add():
    Cart(None)
""",
}
GO: dict[str, Content] = {
    "README.md": """# Store

Keeps entries.

## Entries

An `Entry` is written by the store and read again through the handler of the server.
""",
    "go.mod": """module example.com/store

go 1.22
""",
    "main.go": """package main

import (
    "net/http"

    "example.com/store/internal/store"
)

func main() {
    s := store.New()
    http.HandleFunc("/entries", handle)
    s.Save(store.Entry{})
    http.ListenAndServe(":80", nil)
}

func handle(w http.ResponseWriter, r *http.Request) {
    s := store.New()
    s.Save(store.Entry{})
    s.Load(1)
    w.Write(nil)
}
""",
    "internal/store/store.go": """package store

// Store keeps entries.
type Store struct {
    entries []Entry
}

func New() *Store {
    return &Store{}
}

// Save keeps one.
func (s *Store) Save(e Entry) int {
    check(e)
    s.entries = append(s.entries, e)
    return len(s.entries)
}

func (s *Store) Load(id int) Entry {
    e := s.entries[id]
    check(e)
    return e
}
""",
    "internal/store/entry.go": """package store

// Entry is one row.
type Entry struct {
    ID int
}

func check(e Entry) {
    if e.ID < 0 {
        panic(e)
    }
}
""",
}
WEB: dict[str, Content] = {
    "README.md": """# Board

## Tasks

A `Task` is drawn by the board, and saved as JSON by the service on every change of it.
""",
    "package.json": """{"name": "board", "dependencies": {"express": "4"}}
""",
    "src/server.ts": """import express from 'express';
import { Service } from './service';

const app = express();
const service = new Service();

function list(req, res) {
  const all = service.load();
  service.save(all);
  res.json(all);
}

app.get('/tasks', list);
app.listen(process.env.PORT);
""",
    "src/service.ts": """import { Task, parse } from './task';

/** Saves tasks. */
export class Service {
  private tasks: Task[] = [];

  load(): Task[] {
    const read = parse('{}');
    this.save([read]);
    return this.tasks;
  }

  save(tasks: Task[]) {
    tasks.forEach(parse);
    this.tasks = tasks;
  }
}
""",
    "src/task.ts": """export interface Task {
  id: number;
}

export function parse(text: string): Task {
  const read = JSON.parse(text);
  if (!read) {
    throw new Error('no task');
  }
  return read;
}
""",
    "lib/Task.java": """package board;

public class Task {
  private final Store store;

  public Task(Store store) {
    this.store = store;
  }

  public int run() {
    store.save(this);
    return 1;
  }
}
""",
    "lib/Store.java": """package board;

public interface Store {
  void save(Task task);
}
""",
    "tool/clean.rb": """class Clean
  def run
    puts ENV['BOARD']
  end
end
""",
}


def edited(random: Random, files: dict[str, Content]) -> dict[str, Content]:
    """A tree with one thing changed, as a small commit does."""
    path = random.choice(sorted(files))
    text = files[path]
    assert isinstance(text, str)
    lines = text.split("\n")
    at = random.randrange(len(lines))
    kind = random.choice(["blank", "cut", "double", "swap", "rename", "remove", "other", "new"])
    if kind == "rename":
        folder, _, name = path.rpartition("/")
        left = {each: content for each, content in files.items() if each != path}
        return left | {f"{folder or 'moved'}/x{name}": text}
    if kind == "remove" and len(files) > 2:
        return {each: content for each, content in files.items() if each != path}
    if kind == "new":
        return files | {f"docs/new{at}.md": f"# New {at}\n\nIt says `Cart`, `Store` and `Task`.\n"}
    changed = {
        "blank": [*lines[:at], "", *lines[at:]],
        "cut": [*lines[:at], *lines[at + 1 :]],
        "double": [*lines, *lines[at:]],
        "swap": [*lines[at:], *lines[:at]],
    }
    other = [line.replace("check", "verify").replace("save", "store") for line in lines]
    return files | {path: "\n".join(changed.get(kind, other))}


def made(files: dict[str, Content], number: int, memory: Memory) -> tuple[Wiki, Prepared]:
    commit = Commit(f"{number:040x}", AS_OF, "main", "https://example.com/acme/shop", "shop")
    facts = facts_of(files, memory=memory)
    facts.commit = commit
    wiki = write(facts, commit, memory)
    return wiki, prepare(generated.upload(wiki), stats=dict(wiki.stats), memory=memory)


@pytest.mark.parametrize("tree", [PYTHON, GO, WEB], ids=["python", "go", "web"])
def test_a_refresh_is_a_rebuild_after_random_changes(
    tmp_path: Path, tree: dict[str, Content]
) -> None:
    for seed in range(SEEDS):
        random = Random(seed)
        files = dict(tree)
        path = tmp_path / f"{seed}.db"
        for number in range(STEPS):
            with Kept(path) as memory:
                refreshed = made(files, number, memory)
            assert refreshed == made(files, number, Nothing()), (seed, number)
            files = edited(random, files)
