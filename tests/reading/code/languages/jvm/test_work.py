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


def test_a_class_that_consumes_names_its_only_handler() -> None:
    facts = read(
        "Java",
        textwrap.dedent("""\
        import org.springframework.amqp.rabbit.annotation.RabbitHandler;
        import org.springframework.amqp.rabbit.annotation.RabbitListener;
        import org.springframework.stereotype.Component;
        @Component
        @RabbitListener(queues = "orders")
        class Receiver { @RabbitHandler void take(Order order) {} }
    """).encode(),
    )
    assert [(it.trigger, it.handler) for it in facts.jobs] == [("orders", "Receiver.take")]
