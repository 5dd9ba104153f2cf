"""What runs in the background in Python."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_what_a_thread_or_process_runs_is_a_worker_of_the_function_that_starts_it() -> None:
    facts = facts_of(
        "Python",
        """
        import threading
        from multiprocessing import Process

        def begin(work):
            threading.Thread(target=tick, daemon=True).start()
            threading.Thread(target=lambda: tick()).start()

        class Till:
            def open(self):
                Process(target=self.count, args=(1,)).start()
    """,
    )
    assert [(j.name, j.kind, j.trigger, j.handler, j.framework) for j in facts.jobs] == [
        ("tick", "worker", "begin", "tick", "threading"),
        ("Till.count", "worker", "Till.open", "Till.count", "multiprocessing"),
    ]


def test_a_class_of_a_thread_that_says_what_it_runs_is_a_worker() -> None:
    facts = facts_of(
        "Python",
        """
        import threading

        class Clock(threading.Thread):
            def run(self):
                tick()

        class Plain(threading.Thread):
            def stop(self):
                tick()
    """,
    )
    assert [(it.name, it.kind, it.handler, it.is_abstract) for it in facts.jobs] == [
        ("Clock", "worker", "Clock.run", False), ("Plain", "worker", "Plain.run", True),
    ]  # fmt: skip


def test_what_connects_to_a_database_is_no_handler_of_a_signal() -> None:
    facts = facts_of(
        "Python",
        """
        import sqlite3
        from django.conf import settings
        from django.db.models.signals import post_save
        from shop.mail import send
        post_save.connect(send, sender="Tea")
        sqlite3.connect(settings.FOLDER / "tea.db")
        sqlite3.connect(settings.TEA)
    """,
    )
    assert [(it.name, it.trigger) for it in facts.jobs] == [("send", 'post_save, sender="Tea"')]


def test_a_schedule_of_celery_is_whole_and_has_the_condition_around_it() -> None:
    facts = facts_of(
        "Python",
        """
        from celery.schedules import crontab
        from shop.celery_configuration import app

        @app.task
        def count_coins(): ...

        @app.on_after_finalize.connect
        def plan(sender, **kwargs):
            if settings.COUNTS_COINS:
                sender.add_periodic_task(
                    crontab(
                        hour=str(random.randint(0, 23)),
                        minute=str(random.randint(0, 59)),
                        day_of_week=str(random.randint(0, 6)),
                    ),
                    count_coins.s(),
                    name='Count coins',
                )
    """,
    )
    times = (
        "crontab(hour=str(random.randint(0, 23)), minute=str(random.randint(0, 59)),"
        " day_of_week=str(random.randint(0, 6)))"
    )
    assert [(it.name, it.kind, it.trigger) for it in facts.jobs] == [
        ("count_coins", "queue", ""),
        ("Count coins", "schedule", f"{times}, if settings.COUNTS_COINS"),
    ]
