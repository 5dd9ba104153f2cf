"""Routes of Slim in closures that are bound to a group, and the middleware that is added."""

from tests.reading.code.reading import facts_of


def test_a_closure_without_parameters_is_bound_to_the_group() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        use Slim\\App;
        $app = new App();
        $app->group('/api', function () {
            $jwt = $this->getContainer()->get('jwt');
            $this->get('/tills', Tills::class . ':index');
            $this->post('/tills', Tills::class . ':store')->add($jwt)->add(new RateLimit(3));
        });
        """,
    )
    assert [(it.method, it.path, it.further) for it in facts.routes] == [
        ("GET", "/api/tills", ()), ("POST", "/api/tills", ("jwt", "RateLimit")),
    ]  # fmt: skip
