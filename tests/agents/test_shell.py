from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.agents import shell

COMMIT, REQUEST = "git_commit", "git_pull_request"


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("git commit -m x", [COMMIT]),
        ("git add -A && git commit -m 'Add plan'", [COMMIT]),
        ("git -C /a -c user.name=x --no-pager commit -m x", [COMMIT]),
        ("/usr/bin/git commit -m x", [COMMIT]),
        ("A=b sudo -E time git commit -m x", [COMMIT]),
        ("env -i A=b git commit -m x", [COMMIT]),
        ("bash -lc 'git commit -m x'", [COMMIT]),
        ('sh -c "git commit -m x && gh pr create --fill"', [COMMIT, REQUEST]),
        ("(cd a && git commit -m x)", [COMMIT]),
        ("out=$(git commit -m x)", [COMMIT]),
        ("`git commit -m x`", [COMMIT]),
        ("git commit -m one; git commit -m two", [COMMIT, COMMIT]),
        ("for i in 1 2; do git commit -m x; done", [COMMIT]),
        ("cat <<EOF\ngit commit -m no\nEOF\ngit commit -m yes", [COMMIT]),
        ("git commit -F - <<'EOF'\nmessage; git commit\nEOF", [COMMIT]),
        ("git commit -m \"$(cat <<'EOF'\nfix (a); git commit\nEOF\n)\"", [COMMIT]),
        ("cmd /c git commit -m x", [COMMIT]),
        ("pwsh -Command git commit -m x", [COMMIT]),
        ("gh pr create --title x", [REQUEST]),
        ("glab mr new", [REQUEST]),
        ("hub pull-request -m x", [REQUEST]),
        ("az repos pr create", [REQUEST]),
        ("gh api repos/a/b/pulls -f title=x", [REQUEST]),
        ("git push -o merge_request.create", [REQUEST]),
        ("echo 'git commit -m x'", []),
        ('echo "git commit"', []),
        ("git commit-tree abc", []),
        ("git commit-graph write", []),
        ("git commit --amend --no-edit", []),
        ("git commit --fixup=abc", []),
        ("git commit --dry-run", []),
        ("git commit --help", []),
        ("git log --grep commit", []),
        ("git merge topic # then git commit", []),
        ("gh pr create --web", []),
        ("gh pr view", []),
        ("gh api repos/a/b/pulls", []),
        ("git push", []),
        ("", []),
    ],
)
def test_creations_of_a_command_line(command, kinds):
    assert [creation.kind for creation in shell.creations(command)] == kinds


def test_creations_of_the_words_of_a_command():
    words = ["/bin/bash", "-lc", "git add -A && git commit -m 'Add plan'"]
    assert [creation.kind for creation in shell.creations(words)] == [COMMIT]


@pytest.mark.parametrize(
    ("command", "success", "output", "ordinals"),
    [
        ("git commit -m x", True, None, [0]),
        ("git commit -m x", True, "anything", [0]),
        ("git commit -m x", None, None, [0]),
        ("git commit -m x", False, None, []),
        ("git commit -m x", False, "nothing to commit", []),
        ("git commit -m x && git push", False, "[main 34c4d56] x\nrejected", [0]),
        ("git commit -m x; git status", True, "[main 34c4d56] x\n", [0]),
        ("git commit -m x; git status", True, "nothing to commit", []),
        ("git commit -m x || true", True, "nothing to commit", []),
        ("git commit -qm x; git status", True, "clean", [0]),
        ("git commit -m x | cat", True, None, [0]),
        ("git commit -m x; git commit -m y", True, "[main 34c4d56] x\n[main 34c4d57] y", [0, 1]),
    ],
)
def test_which_creations_happened(command, success, output, ordinals):
    made = shell.made(shell.creations(command), success, output)
    assert [one.ordinal for one in made] == ordinals


def test_made_commit_and_request_carry_what_the_output_names():
    output = "[main (root-commit) 34c4d56] x\nhttps://github.com/acme/calc/pull/7\n"
    made = list(shell.made(shell.creations("git commit -m x && gh pr create"), True, output))
    assert made == [
        shell.Created(COMMIT, 0, "34c4d56", None),
        shell.Created(REQUEST, 1, None, "https://github.com/acme/calc/pull/7"),
    ]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("python3 /opt/hooks/check.py secret", "python3"),
        ('"/opt/my tools/check" secret', "check"),
        ("A=secret /usr/bin/notify x", "notify"),
        ("'secret words' x", None),
        ("", None),
    ],
)
def test_program_is_a_base_name_without_arguments(command, program):
    assert shell.program(command) == program


@given(st.text(alphabet="git commit-m'\"$()`<>|&;\\\n#EOF{}=", max_size=200))
def test_no_command_line_is_too_strange_to_read(text):
    shell.creations("git commit " + text)
    shell.program(text)


def test_a_megabyte_of_nesting_is_read_at_once():
    for part in ("$(", "(", '"$(', "<<a\n", "`", "git commit; "):
        shell.creations("git commit " + part * (1_000_000 // len(part)))
