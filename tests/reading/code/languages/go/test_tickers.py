"""Which tickers of Go are schedules."""

from __future__ import annotations

import pytest

from tests.reading.code.reading import facts_of

HEAD = 'package jobs\nimport ("fmt"; "net/http"; "time"; "context"; "log")\n'
LOOP = "for { select { case <-ctx.Done(): return\ncase <-t.C: clean() } }"
MADE = "t := time.NewTicker(time.Hour); defer t.Stop();"


def triggers(text: str) -> list[tuple[str, str]]:
    jobs = facts_of("Go", HEAD + text).jobs
    return [(each.handler, each.trigger) for each in jobs if not each.is_abstract]


@pytest.mark.parametrize(
    ("text", "handler"),
    [
        (f"func cleanLoop(ctx context.Context) {{ {MADE} {LOOP} }}", "cleanLoop"),
        (f"func main() {{ go func() {{ {MADE} {LOOP} }}() }}", "main"),
        (f"func main() {{ go tidy(ctx) }}\nfunc tidy(ctx any) {{ {MADE} {LOOP} }}", "tidy"),
        (f"func main() {{ group.Go(func() {{ tidy(1) }}) }}\nfunc tidy(a int) {{ {MADE} {LOOP} }}",
         "tidy"),
        ("func run() { for range time.Tick(time.Hour) { queue <- 1 } }", "run"),
        (f"func runPool(ctx any) {{ {MADE}\nfor {{ drain()\nif ctx.Err() != nil {{ return }}\n"
         "select { case <-ctx.Done(): return\ncase <-t.C:\n} } }", "runPool"),
        ("func main() { go func() { for { select { case <-ctx.Done(): return\n"
         "case <-time.After(time.Hour): clean() } } }() }", "main"),
        ("func runPool() { for { clean()\ntime.Sleep(time.Hour) } }", "runPool"),
        ("type S struct{ t *time.Ticker }\nfunc New() *S { s.t = time.NewTicker(time.Hour) }\n"
         "func (s *S) run() { for { select { case <-s.stop: return\ncase <-s.t.C: s.clean() } } }",
         "S.run"),
    ],
)  # fmt: skip
def test_a_ticker_that_a_lasting_loop_works_by_is_a_schedule(text: str, handler: str) -> None:
    assert triggers(text) == [(handler, "every time.Hour")]


@pytest.mark.parametrize(
    "text",
    [
        f"func wait(ctx context.Context) {{ {MADE} {LOOP} }}",
        f"func handle(w http.ResponseWriter) {{ go func() {{ {MADE} {LOOP} }}() }}",
        f"func runOnce() {{ {MADE} for {{ if ready() {{ break }}\n<-t.C\nclean() }} }}",
        f"func runUntil() {{ {MADE} for {{ select {{ case <-t.C: if ok() {{ return }} }} }} }}",
        f"func runSome() {{ {MADE} for i := 0; i < 3; i++ {{ <-t.C\nclean() }} }}",
        f"func runProgress() {{ {MADE} for range t.C {{ fmt.Println(1)\nlog.Print(2) }} }}",
        f"func runLater() {{ {MADE} <-t.C\nclean() }}",
        f"func start() {{ {MADE} serve(t) }}",
        "func runAll() { for { if err := take(); err != nil { time.Sleep(time.Hour) } } }",
        "func runAgain() { for { start()\nselect { case <-asked: end()\ncase err = <-ended: }\n"
        "restore()\ntime.Sleep(time.Hour) } }",
        "func runAgain() { for { it, err := take()\n"
        "if err != nil { select { case <-ctx.Done(): return\n"
        "case <-time.After(time.Hour): }\ncontinue }\nuse(it) } }",
        f"func runWrites(ctx any) {{ {MADE} for {{ select {{ case it := <-all: all = add(it)\n"
        "if len(all) > 9 { save(all) }\ncase <-t.C: save(all)\ncase <-ctx.Done(): return } } }",
        "func runAll() { for { select { case it := <-all: take(it)\n"
        "case <-time.After(time.Hour): clean() } } }",
    ],
)
def test_a_wait_for_a_request_an_end_or_a_few_ticks_is_none(text: str) -> None:
    assert triggers(text) == []


def test_a_ticker_whose_channel_a_variable_is_given_is_a_schedule_beside_others() -> None:
    text = (
        "func runAll(ctx any) { var ticks <-chan time.Time\n"
        "if on { s := time.NewTicker(time.Minute)\n"
        f"ticks = s.C }}\n{MADE} for {{ select {{ case <-ticks: count()\n"
        "case <-t.C: clean() } } }"
    )
    assert triggers(text) == [("runAll", "every time.Minute"), ("runAll", "every time.Hour")]


TILL = """package shop

import "time"

func (t *Till) Start() {
	go func() {
		for {
			select {
			case <-time.Tick(time.Hour):
				t.count()
			case <-t.done:
				return
			}
		}
	}()
}

func (t *Till) count() {}
"""


def test_a_job_is_called_after_the_one_function_that_runs_at_a_tick() -> None:
    named = [(each.name, each.handler) for each in facts_of("Go", TILL).jobs]
    assert named == [("Till.count", "Till.Start")]
    several = TILL.replace("t.count()\n", "t.count()\n\t\t\t\tt.pay()\n")
    assert [each.name for each in facts_of("Go", several).jobs] == ["count, pay"]
