"""What a program of Rust does by itself."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_a_job_of_an_interval_is_what_a_loop_runs_at_its_ticks() -> None:
    facts = facts_of(
        "Rust",
        """
        use tokio::time::{interval, interval_at};
        impl Server {
            async fn serve(&self) {
                tokio::spawn(async move {
                    let mut beat = interval(BEAT);
                    loop {
                        beat.tick().await;
                        if let Err(e) = files::touch(&path) { warn(e); }
                    }
                });
                listen().await;
            }
            async fn follow(&self) {
                let mut ticks = interval(SYNC);
                loop {
                    tokio::select! {
                        _ = ticks.tick() => {
                            let now = Instant::now();
                            self.sync(now).await;
                        }
                        message = inbox.recv() => handle(message),
                    }
                }
            }
            async fn run(&self) {
                let mut frames = interval(FRAME);
                loop {
                    tokio::select! {
                        _ = frames.tick() => paint(),
                        _ = child.wait() => break,
                    }
                }
                finish();
            }
            async fn keep(&self) {
                let mut ticks = interval(KEEP);
                loop {
                    tokio::select! {
                        _ = ticks.tick() => {}
                        _ = woken.wait() => {}
                    }
                    store(kept);
                }
            }
            fn back_off(&self, ticks: &mut Interval) { *ticks = interval_at(start, LATER); }
            async fn talk(&self) {
                let mut ping = interval(PING);
                loop {
                    tokio::select! {
                        _ = ping.tick() => connection.ping().await?,
                        message = inbox.recv() => handle(message),
                    }
                }
            }
        }
        fn handle(message: Message) {}
        fn paint() {}
    """,
    )
    assert [(it.name, it.trigger) for it in facts.jobs] == [
        ("files::touch", "every BEAT"), ("Server.sync", "every SYNC"),
        ("Server.keep", "every KEEP"),
    ]  # fmt: skip


def test_the_interval_of_a_job_is_a_span_of_time_and_its_name_what_it_calls_on_something() -> None:
    facts = facts_of(
        "Rust",
        """
        static WRITE_MS: u64 = 1_000;
        const SYNC: Duration = Duration::from_secs(60 * 5);
        fn start(senders: Senders, pause_ms: u64) {
            spawn(async move {
                let mut beat = tokio::time::interval(std::time::Duration::from_millis(
                    WRITE_MS,
                ));
                loop { beat.tick().await; write(&senders); }
            });
            spawn(async move {
                let mut beat = tokio::time::interval(SYNC);
                loop { beat.tick().await; let _ = senders.report(Now); }
            });
            spawn(async move {
                let mut beat = tokio::time::interval(Duration::from_millis(1_500));
                loop { beat.tick().await; clean(); }
            });
        }
    """,
    )
    assert [(it.name, it.trigger, it.handler) for it in facts.jobs] == [
        ("write", "every 1 s", "write"), ("senders.report", "every 5 min", "start"),
        ("clean", "every 1500 ms", "clean"),
    ]  # fmt: skip


def test_a_function_that_is_given_something_begins_no_program_unless_an_attribute_gives_it() -> (
    None
):
    begins = "fn main(options: Options) {}"
    assert facts_of("Rust", begins).entries == ()
    (entry,) = facts_of("Rust", f"#[embassy_executor::main]\nasync {begins}").entries
    assert (entry.name, entry.kind) == ("main", "main")
