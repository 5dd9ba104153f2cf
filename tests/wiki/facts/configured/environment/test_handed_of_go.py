"""Variables that functions of a program of Go ask the environment for."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def _settings(files: dict[str, str]) -> dict[str, Configured]:
    module = {"go.mod": "module example.org/shop\n\ngo 1.22\n"}
    return {it.name: it for it in settings(facts_of({**module, **files}))}


_UTILS = """package utils

import "os"

const prefix = "SHOP_"

// GetEnv asks for a variable of the shop, else for the plain one.
func GetEnv(key string) (string, bool) {
	if value, ok := os.LookupEnv(prefix + key); ok {
		return value, ok
	}
	return os.LookupEnv(key)
}

func Fixed() string {
	name := "x"
	return os.Getenv(name)
}
"""


def test_a_function_of_another_package_with_a_prefix() -> None:
    found = _settings({
        "utils/env.go": _UTILS,
        "main.go": """package main

import "example.org/shop/utils"

const logLevel = "LOG_LEVEL"

func main() {
	utils.GetEnv("PORT")
	level, _ := utils.GetEnv(logLevel)
	utils.GetEnv(computed())
	// utils.GetEnv("NO")
}

func GetEnv(key string) string { return key }

func other() { GetEnv("OTHER") }
""",
    })  # fmt: skip
    assert sorted(found) == ["LOG_LEVEL", "PORT", "SHOP_LOG_LEVEL", "SHOP_PORT"]
    assert found["PORT"].reads == (("main.go", 8),)


def test_a_default_that_a_function_is_given_and_functions_of_functions() -> None:
    found = _settings({
        "config.go": """package main

import (
	"os"
	"strconv"
)

func getEnv(key, fallback string) string {
	if value := os.Getenv(key); value != "" {
		return value
	}
	return fallback
}

func getInt(key string, defaultValue int) int {
	n, _ := strconv.Atoi(getEnv(key, ""))
	return n
}

func load() {
	getEnv("HOST", "localhost")
	getInt("WORKERS", 4)
	getInt(
		"QUEUE",
		defaultQueue,
	)
}
"""
    })  # fmt: skip
    assert {name: it.default for name, it in found.items()} == {
        "HOST": "localhost", "QUEUE": None, "WORKERS": "4",
    }  # fmt: skip
