"""What comes for containers and proxies holds together: it parses, its parts name each other, and
it names what the program has. No cluster runs here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
import yaml

from stationmaster.api.app import ROUTES
from stationmaster.cli.app import app
from stationmaster.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SETTINGS = {PREFIX + field.name.upper() for field in msgspec.structs.fields(Settings)}
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFESTS: list[dict[str, Any]] = [
    document
    for file in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(file.read_text())
]
PATHS = {route.path for route in ROUTES}
BUILDERS = ("docker", "podman", "buildah")


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in MANIFESTS if each["kind"] == kind}


def pods() -> list[dict[str, Any]]:
    return [each["spec"]["template"] for each in of_kind("Deployment").values()]


def containers() -> list[dict[str, Any]]:
    return [each for pod in pods() for each in pod["spec"]["containers"]]


def is_pinned(image: str) -> bool:
    _, _, tag = image.rpartition(":")
    return "/" not in tag and tag != image and re.fullmatch(r"(latest|stable|\d+)", tag) is None


def parse(arguments: list[str]) -> None:
    """Raises for a command or an option that does not exist."""
    command = typer.main.get_command(app)
    group = command.make_context("stationmaster", [*arguments], resilient_parsing=True)
    name, found, rest = command.resolve_command(group, [*arguments])  # type: ignore[attr-defined] # it is a group
    found.make_context(name, rest)


def test_every_manifest_is_listed_and_every_listed_one_is_there() -> None:
    [listed] = [each for each in MANIFESTS if each["kind"] == "Kustomization"]
    files = {file.name for file in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert {*listed["resources"], "kustomization.yaml"} == files
    assert {image["name"] for image in listed["images"]} == {
        each["image"].partition(":")[0] for each in containers()
    }


def test_images_have_versions() -> None:
    images = [each["image"] for each in (*containers(), *COMPOSE["services"].values())]
    containerfile = (DEPLOY / "Containerfile").read_text()
    images += re.findall(r"^FROM (\S+)", containerfile, re.MULTILINE)
    assert [image for image in images if not is_pinned(image)] == []


def test_pods_run_as_nobody_in_particular_and_may_do_nothing_more() -> None:
    for pod in pods():
        context = pod["spec"]["securityContext"]
        assert (context["runAsNonRoot"], context["runAsUser"] > 0) == (True, True)
        assert pod["spec"]["automountServiceAccountToken"] is False
    for container in containers():
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["readOnlyRootFilesystem"] is True
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"]


def test_probes_ask_addresses_and_ports_that_exist() -> None:
    for container in containers():
        ports = {port["name"] for port in container["ports"]}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container[probe]["httpGet"]
            assert asked["path"] in PATHS
            assert asked["port"] in ports
        assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_containers_run_commands_that_exist_with_settings_that_exist() -> None:
    for container in containers():
        parse(container["args"])
        for source in container["envFrom"]:
            [reference] = source.values()
            assert reference["name"] == "stationmaster"
    [settings] = of_kind("ConfigMap").values()
    names = {name for name in settings["data"] if name.startswith(PREFIX)}
    names |= {n for n in COMPOSE["services"]["server"]["environment"] if n.startswith(PREFIX)}
    assert names <= SETTINGS
    assert all(isinstance(value, str) for value in settings["data"].values())


def test_pods_wait_for_a_graceful_end() -> None:
    [settings] = of_kind("ConfigMap").values()
    delay = float(settings["data"]["STATIONMASTER_SHUTDOWN_DELAY"])
    for pod in pods():
        patience = pod["spec"]["terminationGracePeriodSeconds"]
        assert patience > delay + 2 * Settings().shutdown_seconds


def test_selectors_name_pods_that_exist() -> None:
    labels = [pod["metadata"]["labels"] for pod in pods()]
    selectors = [each["spec"]["selector"]["matchLabels"] for each in of_kind("Deployment").values()]
    selectors += [each["spec"]["selector"] for each in of_kind("Service").values()]
    budgets = of_kind("PodDisruptionBudget").values()
    selectors += [each["spec"]["selector"]["matchLabels"] for each in budgets]
    policies = of_kind("NetworkPolicy").values()
    selectors += [each["spec"]["podSelector"]["matchLabels"] for each in policies]
    for selector in selectors:
        assert any(selector.items() <= each.items() for each in labels), selector


def test_the_ingress_leads_to_a_port_of_a_service_that_a_container_has() -> None:
    services = of_kind("Service")
    for ingress in of_kind("Ingress").values():
        for rule in ingress["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                wanted = path["backend"]["service"]
                ports = {each["name"]: each for each in services[wanted["name"]]["spec"]["ports"]}
                target = ports[wanted["port"]["name"]]["targetPort"]
                assert any(target == port["name"] for c in containers() for port in c["ports"])


def test_volumes_that_are_mounted_are_there() -> None:
    for pod in pods():
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        for container in pod["spec"]["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    for service in COMPOSE["services"].values():
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or (DEPLOY / source).is_file()


def test_services_of_compose_name_each_other() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= services.keys()
        assert set(service["networks"]) <= COMPOSE["networks"].keys()
    for name in services["server"]["depends_on"], services["proxy"]["depends_on"]:
        for other, terms in name.items():
            assert terms == {"condition": "service_healthy"}
            assert "healthcheck" in services[other]
    database = services["server"]["environment"]["STATIONMASTER_DATABASE_URL"]
    assert database.endswith("@database/stationmaster")
    assert services["proxy"]["environment"]["STATIONMASTER_UPSTREAM"] == "server:8700"
    assert "ports" not in services["server"] | services["database"]


def test_the_server_of_compose_believes_its_proxy_and_nobody_else() -> None:
    server, proxy = COMPOSE["services"]["server"], COMPOSE["services"]["proxy"]
    trusted = server["environment"]["STATIONMASTER_TRUSTED_PROXIES"]
    assert trusted == proxy["networks"]["front"]["ipv4_address"]
    assert [str(n) for n in Settings(trusted_proxies=trusted).trusted_networks] == [f"{trusted}/32"]


def test_the_server_of_compose_is_asked_for_its_readiness() -> None:
    check = " ".join(COMPOSE["services"]["server"]["healthcheck"]["test"])
    [path] = re.findall(r"http://127\.0\.0\.1:8700(/\w+)", check)
    assert path in PATHS


def test_the_configuration_of_traefik_names_what_it_has() -> None:
    http = yaml.safe_load((DEPLOY / "traefik" / "stationmaster.yaml").read_text())["http"]
    for router in http["routers"].values():
        assert router["service"] in http["services"]
        assert set(router["middlewares"]) <= http["middlewares"].keys()
    [service] = http["services"].values()
    assert service["loadBalancer"]["healthCheck"]["path"] in PATHS


@pytest.mark.parametrize("name", ["caddy/Caddyfile", "nginx/stationmaster.conf"])
def test_blocks_of_a_proxys_configuration_are_closed(name: str) -> None:
    text = re.sub(r"\{\$[^}]*\}|^\s*#.*$", "", (DEPLOY / name).read_text(), flags=re.MULTILINE)
    assert text.count("{") == text.count("}") > 0


def test_what_the_image_copies_is_not_ignored() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line[1:] for line in lines if line.startswith("!")}
    containerfile = (DEPLOY / "Containerfile").read_text()
    copied = {
        source.removeprefix("./")
        for line in re.findall(r"^COPY (?!--from)(.*)$", containerfile, re.MULTILINE)
        for source in line.split()[:-1]
    }
    assert copied == allowed


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_image_builds_and_its_program_runs() -> None:
    builder = _builder()
    tag = "stationmaster-test:local"
    build = [builder, "build", "-f", "deploy/Containerfile", "-t", tag, "."]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    if builder != "buildah":
        run = [builder, "run", "--rm", "--read-only", tag, "--version"]
        told = subprocess.run(run, capture_output=True, text=True, timeout=90)
        assert (told.returncode, bool(told.stdout)) == (0, True), told.stderr


def _builder() -> str:
    """A program that builds images and can have the base image, or the test is skipped."""
    base = re.findall(r"^FROM (\S+)", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)[0]
    for name in BUILDERS:
        if shutil.which(name) is None or not _works(name, "info", timeout_s=20):
            continue
        if _works(name, "pull", base, timeout_s=300):
            return name
    pytest.skip(f"None of {', '.join(BUILDERS)} works here and can have {base}.")


def _works(*command: str, timeout_s: int) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=timeout_s).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def test_the_settings_of_a_pod_start_a_server() -> None:
    """They are valid together; the secrets come from elsewhere."""
    [settings] = of_kind("ConfigMap").values()
    fields = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in settings["data"].items()
        if name.startswith(PREFIX)
    }
    made = msgspec.convert(fields, Settings, strict=False)
    assert made.app_address.startswith("https://")
    assert made.trusted_networks
