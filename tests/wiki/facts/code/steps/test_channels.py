"""Channels of Go."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

_GO = """package shop

type Order struct{}

type Till struct {
	orders chan *Order
	done   chan struct{}
	paid   chan<- *Order
	sema   chan struct{}
	slot   chan struct{}
}

type Book struct {
	paid <-chan *Order
	done chan struct{}
}

func (t *Till) Take(o *Order) {
	t.sema <- struct{}{}
	t.orders <- o
	t.leave()
	<-t.slot
}

func (t *Till) leave() {
	defer func() { <-t.sema }()
	t.slot <- struct{}{}
	<-t.slot
}

func (t *Till) Run() {
	for {
		select {
		case <-t.done:
			return
		case o := <-t.orders:
			t.paid <- o
		}
	}
}

func (t *Till) Stop() {
	close(t.done)
}

func (b *Book) Write() {
	for o := range b.paid {
		print(o)
	}
	<-b.done
}
"""


def test_what_is_sent_on_a_channel_leads_to_what_receives_it() -> None:
    facts = facts_of({"go.mod": "module shop\n", "till.go": _GO})
    found = {
        name: [(it.does.partition(",")[0], [end.name for end in it.handlers])
               for it in station_of(facts, Spot("till.go", name)).steps if it.does]
        for name in ("Till.Take", "Till.Run", "Till.Stop", "Book.Write")
    }  # fmt: skip
    assert found == {
        "Till.Take": [("sends on the channel orders", ["Till.Run"])],
        "Till.Run": [("sends on the channel paid", ["Book.Write"])],
        "Till.Stop": [("closes the channel done", ["Till.Run"])],
        "Book.Write": [],
    }
