"""What is written in docs/git.md, as command lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.agents.shell import commands as shell

COMMIT, REQUEST = "git_commit", "git_pull_request"
URL = "https://github.com/acme/calc/pull/7"


def kinds(command) -> list[str]:
    return [creation.kind for creation in shell.creations(command)]


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x",
        "git add -A && git commit -m 'Add plan'",
        "git -C /a -c user.name=x --no-pager commit -m x",
        "git --git-dir /a/.git --work-tree=/a commit -m x",
        "git --git-dir=/a/.git commit",
        "/usr/bin/git commit -m x",
        "\\git commit -m x",
        "git.exe commit -m x",
        '& "C:\\Program Files\\Git\\cmd\\git.exe" commit -m x',
        "C:\\Git\\bin\\git.exe commit -m x",
        "hub commit -m x",
        "cd x && git commit -m x",
        "pushd x; git commit -m x; popd",
        "A=b git commit -m x",
        'A="b c" B=$(date) git commit -m x',
        "A=b sudo -E time git commit -m x",
        "sudo -u dev -H -- git commit -m x",
        "env -i A=b git commit -m x",
        "env -u A -C dir A=b git commit -m x",
        "timeout -k 5 60 git commit -m x",
        "time -p git commit -m x",
        "nice -n 5 nohup git commit -m x",
        "command git commit -m x",
        "flock /tmp/lock git commit -m x",
        "echo message | xargs -I{} git commit -m {}",
        "xargs -n 1 git commit -m",
        "bash -lc 'git commit -m x'",
        "bash -euo pipefail -c 'git commit -m x'",
        "bash -c 'git commit -m \"$0\"' message",
        "sh -c \"sh -c 'git commit -m x'\"",
        "eval 'git commit -m x'",
        "bash <<'EOF'\ngit commit -m x\nEOF",
        "bash -s <<EOF && echo done\ngit add .\ngit commit -m x\nEOF",
        "(cd a && git commit -m x)",
        "{ git commit -m x; }",
        "out=$(git commit -m x)",
        'echo "$(git commit -m x)"',
        "`git commit -m x`",
        "cat <(git commit -m x)",
        "for i in 1 2; do git commit -m x; done",
        "if git diff --quiet; then :; else git commit -m x; fi",
        "case $x in a) git commit -m x;; esac",
        "git diff --quiet || git commit -m x",
        "! git commit -m x",
        "git commit -m x &",
        "git commit -m x 2>&1 | tail -3",
        "2>/dev/null git commit -m x >&2 <&3",
        "cat <<EOF\ngit commit -m no\nEOF\ngit commit -m yes",
        "git commit -F - <<'EOF'\nmessage; git commit\nEOF",
        "git commit -F - <<-EOF\n\tmessage\n\tEOF",
        "git commit -m \"$(cat <<'EOF'\nfix (a); git commit\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF'\nit's `that`\nEOF\n)\"",
        "git commit -m $'it\\'s; git commit'",
        "git commit -m 'one' -m '--amend'",
        "git commit -am '--dry-run'",
        "git commit -m x -- --amend",
        "git commit -m--amend",
        "git commit --allow-empty -n -q -S -m x",
        "git \\\n  commit -m x",
        "git commit -m x # and gh pr create",
        "git commit --date=now --no-edit",
        "cmd /c git commit -m 'x && gh pr create'",
        'cmd.exe /d /s /c "git add . & git commit -m x"',
        "pwsh -Command git commit -m x",
        'powershell.exe -NoProfile -c "git add .; git commit -m x"',
        'powershell "git commit -m x"',
        "if ($?) { git commit -m x }",
        "git `\n  commit -m x",
        "git commit -m @'\nit's; git commit -m no\n'@",
        "git commit -m @\"\nsay \"so\"\n\"@",
        "git status;\r\ngit commit -m x\r\n",
    ],
)  # fmt: skip
def test_a_commit(command):
    assert kinds(command) == [COMMIT]


@pytest.mark.parametrize(
    "command",
    [
        "gh pr create --title x",
        "gh pr new -f",
        "gh -R acme/calc pr create --draft",
        "gh pr -R acme/calc create",
        "gh.exe pr create",
        "gh pr create --title '--web' --body -w",
        "gh pr create -t '-h' -b x",
        "GH_TOKEN=x gh\tpr\tcreate",
        "glab mr create --fill --yes",
        "glab -R a/b mr new",
        "hub pull-request -m x",
        "hub -C dir pull-request -h me:topic -b main",
        "az repos pr create",
        "az --output json repos pr create --title x",
        "tea pr create",
        "bb pr create",
        "gh api repos/a/b/pulls -f title=x",
        "gh api --method POST /repos/a/b/pulls --input -",
        "gh api -XPOST repos/a/b/pulls",
        "glab api projects/1/merge_requests -f title=x",
        "git push -o merge_request.create",
        "git push --push-option=merge_request.create origin HEAD",
        "git push -u --push-option merge_request.create",
        "bash -lc 'cd a; gh pr create --fill'",
    ],
)
def test_a_pull_request(command):
    assert kinds(command) == [REQUEST]


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo 'git commit -m x'",
        'echo "git commit"',
        "grep -r 'git commit' .",
        "# git commit -m x",
        "cat <<EOF\ngit commit -m no\nEOF",
        "cat <<'EOF' > run.sh\ngit commit -m no\nEOF",
        "bash run.sh <<EOF\ngit commit\nEOF",
        "bash commit.sh -c 'git commit'",
        "python -c 'git commit'",
        "git ci -m x",
        "gc -m commit",
        "git commit-tree abc",
        "git commit-graph write",
        "git log --grep commit",
        "git show commit",
        "git checkout -b commit",
        "git merge topic # then git commit",
        "git merge --continue",
        "git cherry-pick abc; git revert commit",
        "git commit --amend --no-edit",
        "git commit -a --am",
        "git commit --fixup=abc",
        "git commit --squash abc",
        "git commit --dry-run",
        "git commit --short",
        "git commit --porcelain",
        "git commit --help",
        "git commit -h",
        "git --help commit",
        "git --version commit",
        "ssh host 'git commit -m x'",
        "git submodule foreach 'git commit -m x'",
        "gh pr create --web",
        "gh pr create -fw",
        "gh pr create --dry-run",
        "gh pr create --help",
        "gh pr view",
        "gh pr list --search 'pr create'",
        "gh issue create --title pr",
        "gh repo create pr",
        "gh api repos/a/b/pulls",
        "gh api -X GET repos/a/b/pulls -f state=open",
        "gh api repos/a/b/issues -f body=/pulls",
        "glab mr list",
        "git push",
        "git push -n -o merge_request.create",
        "git push -o ci.skip",
        "git request-pull v1 origin",
    ],
)
def test_neither(command):
    assert kinds(command) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('sh -c "git commit -m x && gh pr create --fill"', [COMMIT, REQUEST]),
        ("git commit -m one; git commit -m two", [COMMIT, COMMIT]),
        ("git commit -m $'it\\'s' && gh pr create", [COMMIT, REQUEST]),
        ("gh pr create --body \"$(git commit -m x)\"", [COMMIT, REQUEST]),
        ("git commit -m 'a\ngit commit -m b", [COMMIT]),
        ("git commit -m \"a $(git commit -m b", [COMMIT, COMMIT]),
        ("git commit;" * 1_000, [COMMIT] * 50),
    ],
)  # fmt: skip
def test_several(command, expected):
    assert sorted(kinds(command)) == sorted(expected)


def test_creations_of_the_words_of_a_command():
    assert kinds(["/bin/bash", "-lc", "git add -A && git commit -m 'Add plan'"]) == [COMMIT]
    assert kinds(["git", "commit", "-m", "x; gh pr create"]) == [COMMIT]
    assert kinds(["echo", "git commit"]) == []


NOTHING = "nothing to commit"
ONE = "[main 34c4d56] x\n"


@pytest.mark.parametrize(
    ("command", "success", "output", "ordinals"),
    [
        ("git commit -m x", True, None, [0]),
        ("git commit -m x", True, "anything", [0]),
        ("git commit -m x", None, None, [0]),
        ("git commit -m x", False, None, []),
        ("git commit -m x", False, NOTHING, []),
        ("git commit -m x && git push", False, f"{ONE}rejected", [0]),
        ("git commit -m x && git push", True, "", [0]),
        ("git commit -m x; git status", True, ONE, [0]),
        ("git commit -m x; git status", True, NOTHING, []),
        ("git commit -m x || true", True, NOTHING, []),
        ("git diff --quiet || git commit -m x", True, "", []),
        ("git diff --quiet || git commit -m x", True, ONE, [0]),
        ("git diff --quiet || git commit -m x", True, None, [0]),
        ("git commit -m \"$(cat <<'E'\nx\nE\n)\" && git push", True, "", [0]),
        ('git commit -m x && gh pr create -b "$(cat b)"', True, "", [0, 1]),
        ('true || git commit -m "$(cat a)"', True, "", []),
        ("out=$(git commit -m x) && true", True, "", []),
        ("true || (cd a && git commit -m x)", True, "", []),
        ("false || true && git commit -m x", True, "", [0]),
        ("git commit -m x &", True, "", []),
        ("git commit -qm x; git status", True, "clean", [0]),
        ("git commit -mq; git status", True, "clean", []),
        ("git commit -m x | cat", True, None, [0]),
        ("(git commit -m x) || true", True, "", []),
        ("bash -c 'git commit -m x'", True, "", [0]),
        ("bash -c 'git commit -m x; true'", True, "", []),
        ("git commit -m x; git commit -m y", True, f"{ONE}[main 34c4d57] y", [0, 1]),
        ("git commit -m x; make", True, "y\n" * 100_000 + ONE, [0]),
        ("gh pr create", False, f"a pull request already exists:\n{URL}", []),
        ("gh pr create || gh pr view", True, f"it already exists:\n{URL}\n{URL}", []),
        ("gh pr create; false", False, URL, [0]),
    ],
)
def test_which_creations_happened(command, success, output, ordinals):
    made = shell.made(shell.creations(command), success, output)
    assert [one.ordinal for one in made] == ordinals


def test_made_commit_and_request_carry_what_the_output_names():
    output = f"[main (root-commit) 34c4d56] x\n{URL}\n"
    made = list(shell.made(shell.creations("git commit -m x && gh pr create"), True, output))
    assert made == [shell.Created(COMMIT, 0, "34c4d56", None), shell.Created(REQUEST, 1, None, URL)]


@pytest.mark.parametrize(
    ("output", "url"),
    [
        ("https://gitlab.com/a/b/c/-/merge_requests/12\n", True),
        ("https://dev.azure.com/a/b/_git/c/pullrequest/12", True),
        ("https://bitbucket.org/a/b/pull-requests/12", True),
        ("https://git.example.com:8443/a/b/pulls/12", True),
        ("https://github.com/a/b/pull/new/topic", False),
        ("https://api.github.com/repos/a/b/pulls/12", False),
        ("https://gitlab.com/api/v4/projects/1/merge_requests/12", False),
        ("https://github.com/a/b/issues/12", False),
    ],
)
def test_which_addresses_are_a_requests(output, url):
    [made] = shell.made(shell.creations("gh pr create"), True, f"Opening\n{output}")
    assert made.url == (output.strip() if url else None)


@pytest.mark.parametrize(
    ("tool", "is_one"),
    [
        ("create_pull_request", True),
        ("repo_create_pull_request", True),
        ("createPullRequest", True),
        ("create-merge-request", True),
        ("pull_request_create", True),
        ("create_pull_request_review", False),
        ("recreate_pull_request", False),
        ("get_pull_request", False),
        ("", False),
        (None, False),
    ],
)
def test_which_mcp_tools_create_a_request(tool, is_one):
    assert [one.kind for one in shell.of_tool(tool)] == ([REQUEST] if is_one else [])


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("python3 /opt/hooks/check.py secret", "python3"),
        ('"/opt/my tools/check" secret', "check"),
        ("A=secret /usr/bin/notify x", "notify"),
        ('"C:\\my tools\\check.exe" secret', "check.exe"),
        ("C:\\tools\\check.exe secret", "check.exe"),
        ("timeout 5 notify secret", "notify"),
        ("cmd /c secret", "cmd"),
        ("'secret words' x", None),
        ("", None),
    ],
)
def test_program_is_a_base_name_without_arguments(command, program):
    assert shell.program(command) == program


def test_commands_of_inner_shells_are_started():
    words = [one.words for one in shell.started("bash -c 'a b | xargs c'; sudo d; sh <<E\ne\nE")]
    assert words == [("a", "b"), ("c",), ("d",), ("e",)]


@given(st.text(alphabet="git commit-m'\"$()`<>|&;\\\n#@EOF{}=", max_size=200))
def test_no_command_line_is_too_strange_to_read(text):
    shell.creations("git commit " + text)
    shell.program(text)


@pytest.mark.parametrize(
    "part",
    [
        *("$(", "(", ")", '"$(', "<<a\n", "`", "git commit; ", "git commit && ", "bash -c '"),
        *("a'b'", "sudo ", "git commit -m ", "$'\\", "@'\n", "case a) ", "||(", "cmd /c ", "\\"),
    ],
)  # fmt: skip
def test_a_megabyte_of_nesting_is_read_at_once(part):
    command = "git commit " + part * (1_000_000 // len(part))
    assert len(shell.creations(command)) <= 50
    assert len(shell.creations([command] * 3)) <= 50
    list(shell.made(shell.creations("git commit; gh pr create"), True, "[a " * 400_000))
    list(shell.made(shell.creations("gh pr create"), True, "https://a/" * 100_000))
