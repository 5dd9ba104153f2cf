"""The folder of the repository in which a command of a document is typed."""

from __future__ import annotations

from tests.wiki.facts.tooling.test_written import begin, document


def test_a_command_that_is_typed_beside_the_clone_names_files_from_its_root() -> None:
    guide = document(
        "git clone https://example.com/acme/shop.git",
        "pip install -r shop/requirements.txt -r shop/dev.txt -r other/dev.txt",
    )
    files = {"requirements.txt": "tea\n", "dev.txt": "cup\n", "CONTRIBUTING.md": guide}
    assert begin(files, "install") == [
        "pip install -r requirements.txt -r dev.txt -r other/dev.txt"
    ]
