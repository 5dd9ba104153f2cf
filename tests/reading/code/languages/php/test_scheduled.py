"""What PHP runs at times."""

from __future__ import annotations

from tests.reading.code.languages.php.test_frameworks import php


def test_a_closure_that_is_scheduled_is_named_by_what_it_calls_and_its_time_as_it_is_written() -> (
    None
):
    facts = php("""\
        use App\\Models\\OpenTill;
        class Kernel {
            function schedule(Schedule $schedule) {
                $schedule->call(function () use ($openTill) {
                    $openTill->close();
                })->cron($openTill->frequency)->timezone($zone);
                $schedule->call(fn () => OpenTill::sweep())->dailyAt(config('till.time'));
                $schedule->call(fn () => $other->count())->daily();
                if (Till::ready()) {
                    $schedule->call(function () { first(); second(); })->cron($when);
                }
            }
        }
    """)
    assert [(each.name, each.trigger, each.handler) for each in facts.jobs] == [
        ("OpenTill.close", "$openTill->frequency", "OpenTill.close"),
        ("OpenTill.sweep", "dailyAt config('till.time')", "OpenTill.sweep"),
        ("count", "daily", "Kernel.schedule"),
        ("call", "$when, if Till::ready()", "Kernel.schedule"),
    ]
