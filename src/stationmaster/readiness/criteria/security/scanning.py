"""What looks for weaknesses: analysis of code and dependencies, of running services, of secrets."""

from __future__ import annotations

from stationmaster.projects.model import App, Place
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, unknown
from stationmaster.readiness.evidence import traces
from stationmaster.readiness.evidence.traces import Tool
from stationmaster.readiness.facts import Facts

ANALYSIS = (
    Tool(name="CodeQL", actions=("github/codeql-action/init", "github/codeql-action/analyze",
        "*/codeql*.yml"),
        commands=("codeql database analyze",)),
    Tool(name="Semgrep", actions=("semgrep/*", "returntocorp/*"), commands=("semgrep ci",
        "semgrep scan", "semgrep", "opengrep"), hooks=("semgrep",)),
    Tool(name="Snyk", actions=("snyk/*",), commands=("snyk test", "snyk code test",
        "snyk monitor")),
    Tool(name="Sonar", actions=("sonarsource/*",), commands=("sonar-scanner", "gradlew sonar",
        "gradlew sonarqube", "mvn sonar:sonar", "dotnet-sonarscanner", "dotnet sonarscanner")),
    Tool(name="Bandit", actions=("*bandit*",), commands=("bandit",), hooks=("bandit",)),
    Tool(name="gosec", actions=("securego/gosec",), commands=("gosec",)),
    Tool(name="govulncheck", actions=("golang/govulncheck-action",), commands=("govulncheck",)),
    Tool(name="Brakeman", actions=("*brakeman*",), commands=("brakeman",)),
    Tool(name="bundler-audit", commands=("bundler-audit", "bundle-audit", "bundle audit",
        "bundler audit")),
    Tool(name="cargo audit", actions=("rustsec/audit-check", "actions-rs/audit-check",
        "actions-rust-lang/audit", "embarkstudios/cargo-deny-action"), commands=("cargo audit",
        "cargo deny", "cargo vet", "cargo-deny", "cargo-audit")),
    Tool(name="dependency review", actions=("actions/dependency-review-action",)),
    Tool(name="OSV-Scanner", actions=("google/osv-scanner*",), commands=("osv-scanner",)),
    Tool(name="pip-audit", actions=("pypa/gh-action-pip-audit", "pyupio/safety*"),
        commands=("pip-audit", "safety check", "safety scan", "uv audit"), hooks=("pip-audit",)),
    Tool(name="an audit of packages", commands=("npm audit", "pnpm audit", "yarn audit",
        "yarn npm audit", "bun audit", "audit-ci", "better-npm-audit", "composer audit",
        "local-php-security-checker", "symfony security:check", "mix deps.audit", "mix hex.audit",
        "mix sobelow", "dotnet list package --vulnerable", "retire"),
        actions=("symfonycorp/security-checker-action",)),
    Tool(name="Trivy", actions=("aquasecurity/trivy-action", "*/trivy*"), commands=("trivy",)),
    Tool(name="Grype", actions=("anchore/scan-action", "anchore/grype*"), commands=("grype",)),
    Tool(name="Dependency-Check", actions=("dependency-check/*",), commands=("dependency-check",
        "gradlew dependencyCheckAnalyze", "gradlew dependencyCheckAggregate",
        "mvn org.owasp:dependency-check-maven:check", "mvn dependency-check:check")),
    Tool(name="Scorecard", actions=("ossf/scorecard-action",)),
    Tool(name="Socket", actions=("socketdev/*",), commands=("socket ci", "socket scan"),
        files=("socket.{yml,yaml}",)),
    Tool(name="a scanner of infrastructure", actions=("bridgecrewio/checkov-action",
        "aquasecurity/tfsec*", "checkmarx/*", "tenable/*", "bridgecrewio/*"), commands=("checkov",
        "tfsec", "kics scan", "kubesec", "terrascan"), hooks=("checkov", "terraform_tfsec",
        "terraform_checkov", "terraform_trivy")),
    Tool(name="zizmor or poutine", actions=("zizmorcore/*", "woodruffw/zizmor*",
        "boostsecurityio/poutine-action", "step-security/*scan*"), commands=("zizmor", "poutine"),
        hooks=("zizmor",)),
    Tool(name="a scanner of code", actions=("microsoft/devskim-action",
        "microsoft/security-devops-action", "github/super-linter*", "horusec/*",
        "ajinabraham/njsscan-action", "mobsf/*", "fortify/*", "veracode/*", "checkmarx-ts/*",
        "mend/*", "whitesource/*", "endorlabs/*", "docker/scout-action",
        "anthropics/claude-code-security-review", "appthreat/*", "shiftleftsecurity/*",
        "debricked/*", "jfrog/frogbot*", "synopsys*"),
         commands=("njsscan", "mobsfscan", "psalm --taint-analysis", "phpcs --standard=Security",
             "flawfinder", "cppcheck --addon=cert", "security-code-scan", "docker scout cves",
             "horusec", "spectral")),
    Tool(name="GitLab's scanners", actions=("security/*sast*", "*security/dependency-scanning*",
        "jobs/sast*", "jobs/dependency-scanning*", "*/sast", "*security/container-scanning*")),
    Tool(name="a scanner that reports to the hosting service",
        actions=("github/codeql-action/upload-sarif",)),
    Tool(name="actionlint", actions=("rhysd/actionlint*", "raven-actions/actionlint",
        "reviewdog/action-actionlint"), commands=("actionlint",), hooks=("actionlint",
        "actionlint-docker", "actionlint-system"), is_weak=True),
    Tool(name="the settings of a scanner", files=(".github/codeql/*.{yml,yaml}",
        ".github/codeql-config.{yml,yaml}", ".semgrep.{yml,yaml}", ".semgrep/**/*.{yml,yaml}",
        ".snyk", "**/sonar-project.properties", "{,config/}brakeman.{yml,yaml,ignore}", ".bandit",
        "bandit.{yml,yaml}", "deny.toml", "osv-scanner.toml", "trivy.{yml,yaml}",
        ".checkov.{yml,yaml}", "**/dependency-check*.xml", "**/findbugs-security*.xml"),
        is_weak=True),
)  # fmt: skip
"""Evidence table E25: analysis of code (SAST) and of dependencies (SCA)."""
SECRET_SCANNERS = (
    Tool(name="Gitleaks", actions=("gitleaks/*", "zricethezav/gitleaks", "ghcr.io/gitleaks/*"),
        commands=("gitleaks",), hooks=("gitleaks", "gitleaks-docker", "gitleaks-system"),
        files=(".gitleaks.toml", "{,.github/}gitleaks.toml")),
    Tool(name="TruffleHog", actions=("trufflesecurity/*",), commands=("trufflehog", "trufflehog3"),
        hooks=("trufflehog",)),
    Tool(name="detect-secrets", files=(".secrets.baseline",), commands=("detect-secrets",
        "detect-secrets-hook"), hooks=("detect-secrets",)),
    Tool(name="git-secrets", commands=("git secrets", "git-secrets"), hooks=("git-secrets",)),
    Tool(name="ggshield", actions=("gitguardian/*",), commands=("ggshield",), hooks=("ggshield",
        "ggshield-push"), files=(".gitguardian.{yml,yaml}",)),
    Tool(name="Kingfisher or Nosey Parker", actions=("mongodb/kingfisher*",),
        commands=("kingfisher scan", "noseyparker scan"), hooks=("kingfisher",)),
    Tool(name="Talisman", files=(".talismanrc",), commands=("talisman",), hooks=("talisman-commit",
        "talisman-push")),
    Tool(name="secretlint", files=(".secretlintrc{,.json,.yml,.yaml,.js}",),
        commands=("secretlint",), hooks=("secretlint",)),
    Tool(name="GitLab's secret detection", actions=("*secret-detection*",)),
    Tool(name="a scan of secrets by Trivy", commands=("trivy fs --scanners",
        "trivy repo --scanners")),
    Tool(name="ripsecrets", commands=("ripsecrets",), hooks=("ripsecrets",)),
    Tool(name="a search for private keys", hooks=("detect-private-key", "detect-aws-credentials"),
        is_weak=True),
)  # fmt: skip
DYNAMIC = (
    Tool(name="ZAP", actions=("zaproxy/*", "*owasp/zap*", "*ghcr.io/zaproxy/*"),
        commands=("zap-baseline.py", "zap-full-scan.py", "zap-api-scan.py", "zap-cli",
        "zap-baseline", "zap-full-scan"), files=("**/{zap,.zap}/*.{yml,yaml,conf,tsv}",)),
    Tool(name="Nuclei", actions=("projectdiscovery/nuclei-action",), commands=("nuclei",)),
    Tool(name="StackHawk", actions=("stackhawk/*",), files=("**/stackhawk.{yml,yaml}",)),
    Tool(name="a dynamic scanner", actions=("portswigger*", "*dast*", "nightvision*", "brightsec/*",
        "neuralegion/*", "probely/*", "invicti*", "detectify*"), commands=("nikto", "wapiti",
        "arachni", "dastardly", "burp")),
    Tool(name="Schemathesis", actions=("schemathesis/action",), commands=("schemathesis run",
        "st run", "restler", "cats"), imports=("schemathesis",), is_weak=True),
)  # fmt: skip


def _analysis(facts: Facts) -> Verdict:
    if found := traces.of_repository(facts, ANALYSIS):
        return passes(f"{found.tool} looks for weaknesses", found.place, weak=found.is_weak)
    scans = None if facts.hosting is None else facts.hosting.code_scanning
    if scans:
        return passes("The hosting service scans the code")
    looked = "No step, hook or setting of a scanner of code or dependencies was found"
    if scans is None:
        return unknown(
            f"{looked}; scans that the hosting service does by itself cannot be seen offline"
        )
    return fails(looked)


def _secrets(facts: Facts) -> Verdict:
    if found := traces.of_repository(facts, SECRET_SCANNERS):
        return passes(f"{found.tool} looks for secrets", found.place, weak=found.is_weak)
    scans = None if facts.hosting is None else facts.hosting.secret_scanning
    if scans:
        return passes("The hosting service looks for secrets")
    looked = "No step, hook or setting of a scanner of secrets was found"
    near = tuple(map(Place, facts.tree.glob(".gitleaksignore")))
    if scans is None:
        return unknown(f"{looked}; a scan by the hosting service cannot be seen offline")
    return fails(looked, *near)


def _dynamic(facts: Facts, _: App) -> Verdict:
    if found := traces.of_repository(facts, DYNAMIC):
        return passes(f"{found.tool} tests what runs", found.place, weak=found.is_weak)
    return fails("No job tests the running application, with ZAP, Nuclei or the like")


SECURITY_REVIEW = Criterion(
    id="automated_security_review",
    title="Security analysis in CI",
    level=2,
    pillar="Security",
    scope="repository",
    looks_for="A scanner of code or dependencies that runs on changes or on a schedule.",
    remedy="Run CodeQL or Semgrep, and a review of dependencies, on every change.",
    needs=frozenset({"tree", "hosting"}),
    repository=_analysis,
)
SECRET_SCANNING = Criterion(
    id="secret_scanning",
    title="Secret scanning",
    level=3,
    pillar="Security",
    scope="repository",
    looks_for="A scanner of secrets in CI, in hooks or by the hosting service.",
    remedy="Add a scanner of secrets to the hooks and to CI.",
    needs=frozenset({"tree", "hosting"}),
    repository=_secrets,
)
DAST = Criterion(
    id="dast_scanning",
    title="Dynamic security tests",
    level=4,
    pillar="Security",
    scope="application",
    looks_for="A job that tests the running application, with ZAP, Nuclei or the like.",
    remedy="Add a baseline scan of the staging deployment.",
    kinds=frozenset({"service", "web"}),
    app=_dynamic,
)
