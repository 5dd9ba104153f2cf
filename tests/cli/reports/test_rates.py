"""`rates`: importing a price list, its age, and the prices that it gives."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.commands import command, succeed


def test_a_list_is_imported_looked_at_and_removed(made: dict[str, str], tmp_path: Path) -> None:
    folder = ("--data-dir", made["data"])
    file = tmp_path / "prices.json"
    entry = {"litellm_provider": "openai", "input_cost_per_token": 2e-06}
    file.write_text(json.dumps({"house-7": entry | {"output_cost_per_token": 1e-05}}))

    planned = succeed("rates", "import", file, "--dry-run", *folder)
    printed = command("rates", "import", file, *folder)
    ages = command("rates", "age", *folder).stdout.decode()
    [price] = succeed("rates", "list", "house-7", *folder)["rates"]
    table = command("rates", "list", "glm-5.3-flash", *folder).stdout.decode()
    same = command("costs", "rates", "glm-5.3-flash", *folder).stdout.decode()
    removed = succeed("rates", "remove", "litellm", *folder)

    assert (planned["newCount"], planned["isDryRun"]) == (1, True)
    assert "1 models, 1 new, 0 changed, 0 gone" in printed.stderr
    assert [line.split()[0] for line in ages.splitlines()] == ["list", "litellm", "built-in"]
    assert (price["source"], price["usd"]["output"]) == ("litellm", "10.00")
    assert "0.15" in table
    assert same == table
    assert removed == {"origin": "litellm", "daysDue": 0}
    assert command("rates", "remove", "litellm", *folder).code == 1


def test_a_file_that_is_no_list_is_refused_in_one_line(
    made: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "prices.json"
    file.write_text("{}")

    done = command("rates", "import", file, "--data-dir", made["data"])

    assert done.code != 0
    assert "neither LiteLLM's file nor data of genai-prices" in done.error
