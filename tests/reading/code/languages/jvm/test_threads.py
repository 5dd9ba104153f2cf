"""Threads of Java that go on, and work that is repeated."""

from __future__ import annotations

import textwrap

from stationmaster.reading.code.reading import read


def _jobs(text: str) -> list[tuple[str, str, str, str, int]]:
    jobs = read("Java", textwrap.dedent(text).encode()).jobs
    return [(it.kind, it.name, it.trigger, it.handler, it.line) for it in jobs]


def test_a_thread_that_loops_until_it_is_stopped_is_a_worker() -> None:
    assert _jobs("""\
        class Shop {
            void start() {
                sweeper = new Thread(new Runnable() {
                    @Override
                    public void run() {
                        while (!stopped) { sweep(); }
                    }
                });
                Thread packer = new Thread(() -> {
                    while (true) {
                        if (stopped) { return; }
                        for (Order order : orders) { if (order.old) break; }
                    }
                });
                new Thread(this::deliver, "delivery").start();
            }
            private void deliver() { for (;;) { send(); } }
        }
    """) == [
        ("worker", "sweeper", "Shop.start", "", 3),
        ("worker", "packer", "Shop.start", "", 9),
        ("worker", "Shop.deliver", "Shop.start", "Shop.deliver", 15),
    ]


def test_a_class_of_threads_that_loops_is_a_worker() -> None:
    assert _jobs("""\
        class Packer extends Thread {
            public void run() { while (running.get() && !isInterrupted()) { pack(); } }
        }
        class Once implements Runnable { public void run() { pack(); } }
    """) == [("worker", "Packer", "", "Packer.run", 1)]


def test_a_thread_that_does_its_work_once_is_no_worker() -> None:
    assert (
        _jobs("""\
        class Shop {
            void start() {
                new Thread(() -> { while ((line = reader.readLine()) != null) { print(line); } });
                new Thread(() -> { while (true) { if (line == null) break; print(line); } });
                new Thread(() -> open()).start();
                new Thread(() -> { while (!done || process.isAlive()) { wait(1); } });
                while (!stopped) { sweep(); }
            }
        }
    """)
        == []
    )


def test_work_at_an_interval_is_a_schedule() -> None:
    assert _jobs("""\
        class Shop {
            void start() {
                monitor = new CyclicThread("monitor", true, new Runnable() {
                    public void run() { look(); }
                }, Times.BEAT * 1000L, true);
                pool.scheduleAtFixedRate(this::sweep, 0, 5, TimeUnit.SECONDS);
                pool.scheduleWithFixedDelay(() -> pack(), 1, PAUSE, TimeUnit.MINUTES);
                pool.scheduleAtFixedRate(command, delay, period, unit);
                new PeriodicReport(() -> print(), writer);
            }
        }
    """) == [
        ("schedule", "monitor", "every {$Times.BEAT} * 1000L", "Shop.start", 3),
        ("schedule", "Shop.sweep", "every 5 seconds", "Shop.sweep", 6),
        ("schedule", "Shop.start", "every {$PAUSE} minutes", "Shop.start", 7),
    ]
