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


def test_this_is_a_router_only_in_the_closure_of_a_group() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        use Slim\\App;
        class Routes {
            public function add(App $app) {
                $app->group('/api', function () {
                    $this->group('/tills', function () {
                        $this->get('/{id}', function () { return $this->get('settings'); });
                    });
                });
                return $this->get('/never', 'No');
            }
            public function other() { return $this->post('/never', 'No'); }
        }
        """,
    )
    assert [(it.method, it.path) for it in facts.routes] == [("GET", "/api/tills/{id}")]


def test_an_application_of_a_file_that_includes_this_one_is_called_app() -> None:
    text = """<?php
        use Slim\\Http\\Request;
        $app->group('/api', function () {
            /** @var \\Slim\\App $this */
            $this->get('/tills', function (Request $request) { return 1; });
        });
        """
    assert [it.path for it in facts_of("PHP", text).routes] == ["/api/tills"]
    assert facts_of("PHP", text.replace("Slim", "Other")).routes == ()
