"""Routes of Symfony by annotations in comments."""

from tests.reading.code.reading import facts_of

USE = "<?php\nuse Symfony\\Component\\Routing\\Annotation\\Route;\n"


def routes(text: str) -> list[tuple[str, str, str, str]]:
    return [(it.method, it.path, it.handler, it.guard) for it in facts_of("PHP", text).routes]


def test_methods_are_below_the_path_of_their_class() -> None:
    text = """
        /** @Route("/tills") */
        class Tills {
            /**
             * Opens one.
             *
             * @Route("/{id}", methods={"GET", "POST"}, name="open")
             * @IsGranted("ROLE_USER")
             */
            public function open(int $id) {}
            /** @Rest\\Delete("/{id}") */
            final public function close(int $id) {}
            /** Says @param and no more. */
            public function other() {}
        }
        class Later { public function __invoke() {} }
    """
    assert routes(USE + text) == [
        ("GET", "/tills/{id}", "Tills.open", "IsGranted(ROLE_USER)"),
        ("POST", "/tills/{id}", "Tills.open", "IsGranted(ROLE_USER)"),
        ("DELETE", "/tills/{id}", "Tills.close", ""),
    ]


def test_a_class_that_is_called_answers_itself() -> None:
    text = """
        /**
         * @Route("/api/tills", methods="GET")
         * @Security("is_granted('ROLE_USER')")
         */
        final class Tills extends Base { public function __invoke(): array { return []; } }
    """
    assert routes(USE + text) == [
        ("GET", "/api/tills", "Tills.__invoke", "Security(is_granted('ROLE_USER'))")
    ]


def test_a_comment_of_a_file_without_the_package_is_no_route() -> None:
    assert routes('<?php\n/** @Route("/a") */\nclass A { function __invoke() {} }') == []


def test_a_route_has_the_line_of_its_method() -> None:
    text = (
        'class A {\n/** @Route("/a") */\nfunction a() {}\n\n/** @Route("/b") */\nfunction b() {}\n}'
    )
    assert [(it.path, it.line) for it in facts_of("PHP", USE + text).routes] == [
        ("/a", 5), ("/b", 8),
    ]  # fmt: skip


def test_the_guard_of_a_class_holds_before_that_of_a_method() -> None:
    text = """
        /** @IsGranted("ROLE_USER") */
        class Tills {
            /**
             * @Route("/a")
             * @IsGranted("ROLE_ADMIN")
             */
            function a() {}
            /** @Route("/b") */
            function b() {}
        }
    """
    assert [(it.guard, it.further) for it in facts_of("PHP", USE + text).routes] == [
        ("IsGranted(ROLE_USER)", ("IsGranted(ROLE_ADMIN)",)), ("IsGranted(ROLE_USER)", ()),
    ]  # fmt: skip
