"""Code of others that was copied into a folder of libraries."""

from __future__ import annotations

import json

from stationmaster.reading.projects.copies import copied
from stationmaster.reading.projects.model import Settings
from stationmaster.reading.projects.reading import products
from tests.support.trees import files_of

MIT = "The MIT License\n\nCopyright (c) 2019 {}\n\nPermission is granted, free of charge.\n"
ROOT = {
    "LICENSE": MIT.format("Ada Byron"),
    "README.md": "# Shop\n\nBy Ada Byron, at https://github.com/byron/shop.\n",
    "composer.json": json.dumps({
        "name": "byron/shop",
        "autoload": {"psr-4": {
            "Shop\\": "src/", "Mail\\Sender\\": "libs/sender/src", "QueueKit\\": ["libs/QueueKit"],
            "Till\\": "libs/other/Drawer",
        }},
    }),
}  # fmt: skip


def test_a_library_with_the_licence_of_another_is_a_copy() -> None:
    files = {
        "LICENSE": ROOT["LICENSE"],
        "libs/mailer/LICENSE": MIT.format("José Núñez"), "libs/mailer/send.php": "",
        "libs/own/LICENSE.md": MIT.format("<Ada Byron>"), "libs/own/a.php": "",
        "libs/blank/LICENSE": MIT.format("{{ owner }}"), "libs/blank/a.php": "",
        "src/parts/LICENSE": MIT.format("Jo Doe"), "src/parts/a.php": "",
    }  # fmt: skip
    assert copied(files_of(files)) == {"libs/mailer"}


def test_a_library_in_a_folder_of_assets_names_its_holder_in_its_licence_or_its_scripts() -> None:
    head = "/* Copyright 2012 {}\n * Licensed under the Apache License. */\n"
    files = {
        "LICENSE": ROOT["LICENSE"],
        "shop/static/viewer/LICENSE": "Apache License\n",
        "shop/static/viewer/web/view.mjs": head.format("Example Foundation"),
        "shop/static/till/LICENSE": "Apache License\n",
        "shop/static/till/till.js": head.format("Ada Byron"),
        "shop/static/LICENSE": MIT.format("Jo Doe"), "shop/static/own.js": "",
        "shop/static/js/vendors/q.js": "", "shop/vendors/models.py": "",
    }  # fmt: skip
    assert copied(files_of(files)) == {"shop/static/viewer", "shop/static/js/vendors"}


def test_packages_of_the_repository_are_no_copies() -> None:
    files = {
        "LICENSE": MIT.format("Ada Byron"),
        "README.md": "# Shop\n\n[Build](https://github.com/byron/shop)\n",
        "package.json": '{"name": "shop", "workspaces": ["libs/*"]}',
        "libs/cart/package.json": '{"name": "@shop/cart"}', "libs/cart/index.js": "",
        "libs/fork/package.json": '{"name": "@shop/fork"}',
        "libs/fork/LICENSE": MIT.format("Jo Doe"), "libs/fork/index.js": "",
        "lib/cart/LICENSE": "Apache License\n", "lib/cart/index.js": "",
    }  # fmt: skip
    assert copied(files_of(files)) == frozenset()


def test_libraries_called_like_several_other_namespaces_are_copies() -> None:
    files = {**ROOT, "libs/sender/src/Mail.php": "", "libs/QueueKit/Queue.php": "",
             "libs/other/Drawer/Till.php": ""}  # fmt: skip
    assert copied(files_of(files)) == {"libs/sender", "libs/QueueKit"}


def test_one_namespace_alone_may_be_a_part_of_the_product() -> None:
    autoload = {"psr-4": {"Shop\\": "src/", "Mail\\Sender\\": "libs/sender"}}
    composer = json.dumps({"name": "byron/shop", "autoload": autoload})
    files = {"composer.json": composer, "libs/sender/Mail.php": "<?php\n"}
    assert copied(files_of(files)) == frozenset()


def test_a_manifest_of_another_vendor_marks_a_copy() -> None:
    files = {
        "go.mod": "module github.com/byron/shop\n", "main.go": "package main\n",
        "lib/queue/go.mod": "module github.com/others/queue\n", "lib/queue/q.go": "package q\n",
        "lib/till/go.mod": "module github.com/byron/till\n", "lib/till/t.go": "package t\n",
    }  # fmt: skip
    assert copied(files_of(files)) == {"lib/queue"}


def test_packages_in_a_folder_that_a_manifest_chooses_are_copies() -> None:
    asked = {"config": {"vendor-dir": "./"}, "require": {"jo/feeds": "^1", "php": ">=8"}}
    files = {
        "lib/composer.json": json.dumps(asked),
        "lib/jo/feeds/src/Feed.php": "", "lib/Own/Core.php": "",
    }  # fmt: skip
    assert copied(files_of(files)) == {"lib/jo/feeds"}


def test_a_script_with_its_address_elsewhere_is_a_copy() -> None:
    origin = "#!/bin/sh\n# (C) Jo\n# https://github.com/{}/blob/main/bin/install.sh\nexit 0\n"
    files = {
        **ROOT,
        "install.sh": origin.format("others/tools"), "ci/install.sh": origin.format("byron/shop"),
        "ci/other.sh": origin.format("others/tools"),
    }  # fmt: skip
    assert "install.sh" in (copies := copied(files_of(files)))
    assert copies.isdisjoint({"ci/install.sh", "ci/other.sh"})


def test_nothing_of_a_copy_is_the_product() -> None:
    files = files_of({**ROOT, "libs/QueueKit/Queue.php": "<?php\n", "libs/own/a.php": "<?php\n"})
    product = products(files, Settings())
    assert product.reason("libs/QueueKit/Queue.php") == "vendored"
    assert product.has("libs/own/a.php")
