"""What commands and tasks are for, by what they are called."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.tooling.kinds import names, purposes


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        ("npm ci", "install"),
        ("go run build.go", "build"),
        ("go run build.go -goos linux", "build"),
        ("go run build.go -no-upgrade build shop", "build"),
        ("go run build.go test", "test"),
        ("go run build.go tar", None),
        ("pip install -e '.[dev]'", "install"),
        ("pip install -r requirements.txt", "install"),
        ("npm install left-pad", None),
        ("cp .env.example .env", "configure"),
        ("cp -n shop/config.sample.py shop/config.py", "configure"),
        ("cp -r dist public", None),
        ("cp shop.example /etc/shop", None),
        ("./configure --prefix=/usr", "configure"),
        ("docker compose up -d postgres", "services"),
        ("docker compose up shop", "run"),
        ("docker compose up", "run"),
        ("docker compose up -d", "run"),
        ("docker buildx use builder", None),
        ("docker build --check . -f docker/Dockerfile", None),
        ("npm install --package-lock-only", None),
        ("bash api_tests/prepare-federation-test.sh", None),
        ("rustup component add rustfmt", None),
        ("./gradlew :application:bootRun", "run"),
        ("./gradlew bootRun", "run"),
        ("python manage.py runserver", "run"),
        ("CGO_ENABLED=0 go build ./...", "build"),
        ("sudo make", "build"),
        ("bundle exec rspec", "test"),
        ("ruff check .", "lint"),
        ("ruff format .", "format"),
        ("black --check .", "lint"),
        ("cd web", None),
        ("go run", None),
        ("bundle exec rake", None),
        ("", None),
        ("./build.sh && docker buildx build -t shop .", "image"),
        ("go run ./vendor/example.com/swagger generate", None),
        ("./mvnw spring-javaformat:apply", "format"),
        ("mvn versions:set", None),
        ("mvn -B package", "build"),
        ("tox list", None),
        ("npm install --save-dev", None),
        ("go run script/build.go", "build"),
        ("./gradlew bootBuildImage --imageName shop", "image"),
        ("mvn spring-boot:build-image", "image"),
        ("./gradlew build", "build"),
        ("flask test", "test"),
        ("tox run -e 3.12", "test"),
        ("tox run -e py312 -- -k test_total", "single"),
        ("pytest tests/test_total.py::test_sum", "single"),
        ("go test -run TestTotal ./shop", "single"),
        ("pnpm --filter web test", "test"),
        ("make -k test", "test"),
        ("$(VENV_PIP) install --upgrade '.[dev]'", "install"),
        ("bundle exec rake RUBYOPT='--debug'", None),
        ("cmake -Bbuild-cmake", "configure"),
        ("uv run --no-sync poe doc:build", None),
        ("hatch run coverage:combine", None),
        ("hatch run coverage:report-xml", None),
        ("pytest --cov-report html", "test"),
        ("nox -rs test", "test"),
        ("nox -rs format", "format"),
        ("mix setup", "install"),
        ("meson configure build", None),
        ("./gradlew spotlessCheck", "lint"),
        ("symfony serve", "run"),
        ("flask run --help", None),
    ],
)
def test_commands_are_known_by_their_first_words(text: str, purpose: str | None) -> None:
    assert purposes.of_text(text, {"shop"}) == purpose


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        ("scripts/docker/build.sh --all", None),
        ("sh .github/travis/build.sh", None),
        ("mvn clean site -Pjacoco", None),
        ("cargo bench", None),
        ("python3 -c 'import validator; validator.test()'", None),
        ("sh autogen.sh", "configure"),
        ("./build.sh", "build"),
        ("docker build -t shop .", "image"),
        ("mkdocs build", None),
        ("python utils/build-dists.py", None),
        ("php artisan key:generate", "configure"),
        ("bin/rails db:prepare", "prepare"),
        ("bin/rails db:drop", None),
        ("bin/rails db:schema:dump:primary", None),
        ("vendor/bin/phpcs --config-set show_warnings 0", None),
        ("php ./vendor/bin/pest", "test"),
        ("php -d memory_limit=-1 vendor/bin/phpunit", "test"),
        ("mix ecto.setup", "prepare"),
        ("php artisan migrate --seed", "prepare"),
        ("php artisan migrate:fresh", None),
    ],
)
def test_a_script_for_an_image_builds_no_product_and_nothing_that_removes_data_prepares(
    text: str, purpose: str | None
) -> None:
    assert purposes.of_text(text, ()) == purpose


@pytest.mark.parametrize(
    ("name", "purposes"),
    [
        ("dev:db", ("services",)),
        ("start-services", ("services",)),
        ("server:db:init", ("prepare",)),
        ("db:create", ("prepare",)),
        ("server:db:seed", ()),
        ("server:db:create-admin-user", ()),
    ],
)
def test_what_is_put_into_a_database_starts_no_services(
    name: str, purposes: tuple[str, ...]
) -> None:
    assert names.by_name(name) == purposes
