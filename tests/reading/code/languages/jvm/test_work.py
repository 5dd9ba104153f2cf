"""Work of Java that nobody waits for."""

from __future__ import annotations

import textwrap

from stationmaster.reading.code.reading import read


def test_work_at_start_and_jobs_of_quartz_run_in_the_method_that_they_override() -> None:
    facts = read(
        "Java",
        textwrap.dedent("""\
        import jakarta.annotation.PostConstruct;
        import org.springframework.boot.CommandLineRunner;
        import org.springframework.context.ApplicationListener;
        import org.springframework.scheduling.quartz.QuartzJobBean;
        @Component
        class Opening implements CommandLineRunner {
            public void run(String... args) {}
            @PostConstruct void count() {}
        }
        @Component
        class Ready implements ApplicationListener<ApplicationReadyEvent> {
            public void onApplicationEvent(ApplicationReadyEvent event) {}
        }
        class Sweep extends QuartzJobBean {
            protected void executeInternal(JobExecutionContext context) {}
        }
    """).encode(),
    )
    assert [(each.kind, each.trigger, each.handler) for each in facts.jobs] == [
        ("event", "once its object is made", "Opening.count"),
        ("event", "at start", "Opening.run"),
        ("event", "ApplicationReadyEvent", "Ready.onApplicationEvent"),
        ("worker", "", "Sweep.executeInternal"),
    ]


def test_work_of_a_class_that_spring_does_not_make_by_itself_names_it() -> None:
    facts = read(
        "Java",
        textwrap.dedent("""\
        import org.springframework.amqp.rabbit.annotation.RabbitHandler;
        import org.springframework.amqp.rabbit.annotation.RabbitListener;
        import org.springframework.scheduling.annotation.Scheduled;
        import org.springframework.stereotype.Component;
        //@Component
        @Slf4j
        class Sweeper { @Scheduled(cron = "0 * * * * *") void sweep() {} }
        @NightShift
        class Cleaner { @Scheduled(cron = "0 0 * * * *") void clean() {} }
        class Counter { @Scheduled(cron = "1 0 * * * *") void count() {} }
        @Configuration
        class Setup { @Bean Counter counter() { return new Counter(); } }
        abstract class Base { @Scheduled(cron = "2 0 * * * *") void work() {} }
        @Component
        @RabbitListener(queues = "orders")
        class Receiver { @RabbitHandler void take(Order order) {} }
        @RabbitListener(queues = "orders")
        class Unused { @RabbitHandler void take(Order order) {} }
    """).encode(),
    )
    assert [(it.trigger, it.handler) for it in facts.jobs if not it.unmade_class] == [
        ("0 0 * * * *", "Cleaner.clean"),
        ("1 0 * * * *", "Counter.count"),
        ("2 0 * * * *", "Base.work"),
        ("orders", "Receiver.take"),
    ]
    assert [it.unmade_class for it in facts.jobs if it.unmade_class] == ["Sweeper", "Unused"]
