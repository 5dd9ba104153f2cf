"""What packages are for, by their names: patterns for fnmatch, in lower case, of all ecosystems.

A package that no pattern knows is told without a purpose. The first group that fits decides.
"""

from __future__ import annotations

import fnmatch
import re
from functools import cache

from stationmaster.reading.projects.applications import frameworks

TESTING = "Testing"
_GROUPS: tuple[tuple[str, str], ...] = (
    (TESTING, """
        pytest* jest jest-* @jest/* ts-jest vitest @vitest/* mocha chai chai-* sinon* ava tap karma*
        jasmine* cypress cypress-* playwright @playwright/* pytest-playwright @testing-library/*
        enzyme* supertest nock msw puppeteer* webdriverio @wdio/* testcafe nyc c8 istanbul* tox nox
        coverage hypothesis factory-boy factory_boy faker freezegun time-machine responses respx
        vcrpy moto testcontainers* @testcontainers/* selenium* behave locust mock requests-mock
        model-bakery django-test-* unittest-* tblib parameterized snapshottest syrupy
        github.com/stretchr/* github.com/onsi/* go.uber.org/mock github.com/golang/mock
        github.com/matryer/* github.com/data-dog/go-sqlmock gotest.tools* github.com/h2non/gock
        github.com/jarcoal/httpmock github.com/go-playground/assert* github.com/frankban/quicktest
        junit:* org.junit* org.junit*:* org.mockito* org.mockito*:* org.assertj:* org.hamcrest:*
        com.google.truth:* io.kotest* io.kotest*:* io.mockk:* io.rest-assured:* org.testng:*
        *:*-test *:*-test-* *:*-testing*
        *:spring-boot-starter-test com.squareup.okhttp3:mockwebserver
        com.tngtech.archunit:* org.wiremock:* com.github.tomakehurst:* org.awaitility:* *:*-testlib
        rspec* minitest* capybara* factory_bot* shoulda* simplecov* webmock vcr cucumber* timecop
        database_cleaner* mocha-* guard-rspec phpunit/* pestphp/* mockery/* behat/* fakerphp/*
        brianium/paratest symfony/phpunit-bridge orchestra/testbench xunit* nunit* mstest* moq
        nsubstitute* fluentassertions* shouldly bogus coverlet* microsoft.net.test.sdk
        benchmarkdotnet
        microsoft.aspnetcore.mvc.testing autofixture* verify.* microsoft.testing.*
        criterion proptest*
        quickcheck* mockall* rstest* insta wiremock assert_cmd assert_fs predicates trybuild mockito
        serial_test pretty_assertions test-log test-case tempfile quick/quick happy-dom jsdom
        @storybook/test* axe-core @axe-core/* jest-axe fake-indexeddb
        """), ("Linting and formatting","""
        eslint eslint-* @eslint/* @typescript-eslint/* typescript-eslint prettier prettier-* oxlint
        biome @biomejs/* stylelint* @stylistic/* husky lint-staged commitlint @commitlint/* xo
        standard flake8* ruff black isort mypy mypy-* pylint* pyright basedpyright bandit pre-commit
        codespell djlint pyupgrade autopep8 yapf ty types-* django-stubs* *-stubs typeguard lefthook
        simple-git-hooks *rubocop* standardrb standard-* brakeman bundler-audit reek erb_lint
        squizlabs/* phpstan/* vimeo/psalm friendsofphp/* laravel/pint nunomaduro/larastan
        larastan/* rector/* slevomat/* doctrine/coding-standard *:detekt* io.gitlab.arturbosch*
        com.diffplug.spotless* *ktlint* *checkstyle* *spotbugs* *errorprone* com.google.errorprone:*
        net.ltgt.errorprone stylecop* roslynator* sonaranalyzer* microsoft.codeanalysis.*analyzers
        danger danger-* knip publint @arethetypeswrong/* cspell vale dprint @antfu/eslint-config
        """), ("User interface", " ".join(( *frameworks.PAGES, *frameworks.COMPONENTS,
        *frameworks.MOBILE, *frameworks.DESKTOP,
        """react react-* @react-* @radix-ui/* @mui/* @emotion/* styled-components tailwindcss
        @tailwindcss/* tailwind-merge bootstrap bootstrap-* @angular/* @vue/* vue-* vuex pinia
        nuxt-*
        svelte-* @sveltejs/* zustand redux @reduxjs/* jotai mobx* @tanstack/react-* swr
        framer-motion
        lucide-* @heroicons/* @headlessui/* chart.js recharts d3 d3-* three jquery* htmx* alpinejs
        stimulus* turbo-rails importmap-rails sass sass-* less postcss* autoprefixer clsx classnames
        lit lit-* ember-* @ember/* antd @ant-design/* @fortawesome/* @fontsource/* monaco-editor
        @monaco-editor/* codemirror @codemirror/* prosemirror-* @tiptap/* quill* slate* leaflet*
        i18next* vue-i18n @formatjs/* naive-ui element-plus vuetify quasar primevue sonner cmdk
        @uiw/* androidx.* androidx.*:* com.google.android.material:* github.com/charmbracelet/*
        ratatui crossterm github.com/gdamore/tcell* spectre.console *.blazor* mudblazor""",
    ))),
    ("Web and network", " ".join((
        *frameworks.SERVICE,
        """werkzeug itsdangerous asgiref whitenoise daphne channels channels-* hypercorn*
        requests requests-* httpx urllib3 httpcore h11 h2 h3 anyio certifi idna websockets
        websocket-client httptools gevent eventlet twisted paramiko django-*
        djangorestframework* drf-* flask-* fastapi-* sse-starlette python-multipart
        strawberry-graphql* graphene* graphql-core axios node-fetch got ky undici superagent ws
        http-proxy* cors helmet body-parser cookie-parser compression morgan multer express-*
        @fastify/* @nestjs/* @hono/* @koa/* koa-* graphql graphql-* @graphql-*/* @apollo/*
        apollo-* urql @urql/* @trpc/* socket.io-* cookie golang.org/x/net golang.org/x/oauth2
        github.com/gorilla/* github.com/gin-contrib/* github.com/quic-go/*
        github.com/coder/websocket nhooyr.io/websocket github.com/rs/cors
        google.golang.org/grpc* github.com/grpc-ecosystem/* google.golang.org/api
        github.com/go-resty/* github.com/hashicorp/go-retryablehttp github.com/miekg/dns
        github.com/99designs/gqlgen github.com/vektah/gqlparser* hyper hyper-* reqwest* tower
        tower-* http http-body* axum-* actix-* tokio-tungstenite tungstenite tonic-* prost* ureq
        url quinn rustls* native-tls rocket_* lettre *:okhttp* com.squareup.okhttp3:*
        com.squareup.retrofit2:* io.ktor*:* io.netty:* org.springframework*:*web*
        org.springframework*:*webflux* org.springframework.boot:* org.apache.httpcomponents*:*
        io.grpc:* com.graphql-java*:* guzzlehttp/* psr/http-* nyholm/* slim/* symfony/http-*
        laravel/* illuminate/* faraday* httparty rest-client rack rack-* puma* unicorn* thruster
        grpc.* grpc microsoft.aspnetcore.* swashbuckle.* refit* polly* yarp.* vapor*""",
    ))),
    ("Data and storage", """
        sqlalchemy* sqlmodel alembic psycopg* asyncpg aiosqlite aiomysql mysqlclient pymysql
        redis redis-* hiredis django-redis pymongo motor mongoengine peewee tortoise-orm
        elasticsearch* opensearch* pyarrow pandas polars numpy scipy duckdb cassandra-driver
        neo4j boto3-stubs minio django-storages dj-database-url sqlglot clickhouse-* prisma
        @prisma/* typeorm sequelize* knex pg pg-* mysql mysql2 sqlite3 better-sqlite3 mongodb
        mongoose ioredis drizzle-orm drizzle-kit kysely @mikro-orm/* @supabase/* @elastic/*
        dexie idb idb-* lru-cache level gorm.io/* github.com/jackc/* github.com/lib/pq
        github.com/go-sql-driver/* xorm.io/* github.com/mattn/go-sqlite3 modernc.org/sqlite
        github.com/jmoiron/sqlx github.com/redis/* github.com/go-redis/* go.mongodb.org/*
        github.com/dgraph-io/* go.etcd.io/* entgo.io/* github.com/golang-migrate/*
        github.com/pressly/goose* src.techknowlogick.com/xormigrate github.com/minio/*
        github.com/boltdb/* github.com/blevesearch/* sqlx sqlx-* diesel diesel* sea-orm*
        rusqlite tokio-postgres deadpool* bb8* r2d2* mongodb redis-rs sled heed rocksdb
        libsqlite3-sys org.hibernate*:* *:*jpa* *:*jdbc* *:*r2dbc* org.postgresql:* com.mysql:*
        mysql:* com.h2database:* org.flywaydb:* org.liquibase:* org.mybatis*:* org.jooq:*
        redis.clients:* io.lettuce:* *:*mongodb* *:*elasticsearch* com.zaxxer:* org.xerial:*
        *:*cassandra* *:*redis* com.github.ben-manes.caffeine:* activerecord* pg sqlite3 mysql2
        sequel redis-client dalli elasticsearch-* doctrine/* predis/* mongodb/*
        *.entityframeworkcore* npgsql* dapper* stackexchange.redis mongodb.driver *sqlclient*
        *sqlite* fluent fluent-*
        """),
    ("Jobs and messages", " ".join((
        *frameworks.JOB,
        """kombu django-celery* flower apscheduler pika aio-pika kafka-python aiokafka
        confluent-kafka faust nats-py kafkajs amqplib amqp-* @bull-board/* node-cron cron bree
        github.com/segmentio/kafka-go github.com/ibm/sarama github.com/confluentinc/*
        github.com/nats-io/* github.com/rabbitmq/* github.com/streadway/amqp
        github.com/robfig/cron* github.com/adhocore/gronx github.com/go-co-op/gocron*
        github.com/hibiken/asynq rdkafka lapin tokio-cron-scheduler clokwerk *:*kafka*
        *:*rabbit* *:*amqp* org.quartz-scheduler:* sidekiq-* solid_* whenever clockwork
        masstransit* rabbitmq.client confluent.kafka php-amqplib/* symfony/messenger""",
    ))),
    ("Security and identity", """
        cryptography pyjwt python-jose passlib bcrypt argon2* authlib oauthlib requests-oauthlib
        django-allauth python-ldap django-auth-ldap social-auth-* python3-saml pysaml2 pyotp
        fido2 webauthn py_webauthn pynacl pycryptodome* jsonwebtoken jose passport passport-*
        bcryptjs next-auth @auth/* @simplewebauthn/* oidc-* openid-client otplib
        golang.org/x/crypto github.com/golang-jwt/* github.com/coreos/go-oidc*
        github.com/go-ldap/* github.com/lestrrat-go/* github.com/go-jose/* github.com/casbin/*
        github.com/crewjam/saml github.com/pquerna/otp github.com/go-webauthn/* jsonwebtoken
        ring sha2 sha1 md-5 hmac argon2 bcrypt ed25519* rand_core webauthn-rs* openssl* aes*
        chacha20* oauth2 totp-* *:*security* com.auth0:* io.jsonwebtoken:* org.bouncycastle:*
        com.nimbusds:* devise* omniauth* doorkeeper* pundit cancancan bcrypt_pbkdf jwt rotp
        webauthn-* firebase/php-jwt league/oauth2-* *identitymodel* *.identity* duende.*
        *authentication.jwtbearer* bouncycastle* dompurify sanitize-html isomorphic-dompurify
        bleach nh3
        """),
    ("Logging and observability", """
        structlog loguru sentry-sdk sentry-* opentelemetry-* prometheus-client prometheus_client
        django-prometheus statsd datadog ddtrace newrelic python-json-logger winston* pino
        pino-* bunyan @sentry/* @opentelemetry/* prom-client dd-trace debug loglevel consola
        go.uber.org/zap* github.com/sirupsen/logrus github.com/rs/zerolog github.com/go-logr/*
        github.com/prometheus/* go.opentelemetry.io/* github.com/getsentry/* tracing tracing-*
        log env_logger slog slog-* fern flexi_logger sentry sentry-* metrics metrics-*
        prometheus opentelemetry* console-subscriber org.slf4j:* ch.qos.logback:*
        org.apache.logging.log4j:* io.micrometer:* io.opentelemetry*:* io.sentry*
        io.github.oshai:* lograge* logging* yabeda* monolog/* psr/log serilog* nlog*
        opentelemetry.* microsoft.extensions.logging* swift-log swift-metrics
        """),
    ("Command line", " ".join((
        *frameworks.CLI,
        """click click-* typer rich colorama tqdm prompt-toolkit questionary argcomplete docopt*
        fire commander yargs yargs-* minimist oclif @oclif/* inquirer @inquirer/* prompts
        @clack/* chalk kleur picocolors ora cac citty meow listr2 github.com/spf13/pflag
        github.com/fatih/color github.com/mattn/go-isatty github.com/alecthomas/*
        github.com/manifoldco/promptui github.com/olekukonko/tablewriter golang.org/x/term
        clap_* structopt dialoguer indicatif console colored termcolor anstream anstyle
        rustyline tty-* pastel highline""",
    ))),
    ("Data formats and validation", """
        pydantic pydantic-* pydantic_core marshmallow* jsonschema* attrs cattrs msgspec orjson
        ujson pyyaml ruamel.yaml toml tomli* tomlkit lxml defusedxml beautifulsoup4 html5lib
        markdown markdown-* mistune jinja2 markupsafe mako pillow openpyxl python-docx reportlab
        weasyprint protobuf python-dateutil pytz tzdata arrow pendulum zod yup joi ajv ajv-*
        valibot io-ts class-validator class-transformer js-yaml yaml toml fast-xml-parser xml2js
        cheerio marked markdown-it* remark* rehype* unified mdast-* hast-* gray-matter
        handlebars ejs mustache nunjucks dayjs date-fns* luxon moment* csv-* papaparse sharp
        protobufjs superjson gopkg.in/yaml* go.yaml.in/yaml* sigs.k8s.io/yaml github.com/goccy/*
        github.com/pelletier/* github.com/burntsushi/toml google.golang.org/protobuf
        github.com/golang/protobuf github.com/yuin/goldmark* github.com/json-iterator/go
        github.com/bytedance/sonic github.com/tidwall/* github.com/go-playground/validator*
        github.com/xeipuuv/* github.com/puerkitobio/goquery github.com/mitchellh/mapstructure
        github.com/go-viper/* serde serde_* serde-* toml_edit quick-xml csv chrono time jiff
        bincode ciborium rmp* markdown pulldown-cmark comrak askama tera handlebars minijinja
        regex* nom pest* winnow chumsky image html5ever scraper com.fasterxml.jackson*:*
        com.google.code.gson:* com.squareup.moshi:* org.jetbrains.kotlinx:kotlinx-serialization*
        org.yaml:* com.google.protobuf:* jakarta.validation* *:*validation* org.thymeleaf*:*
        *:*thymeleaf* *:*jackson* nokogiri json oj psych redcarpet commonmarker kramdown haml*
        slim* liquid jbuilder symfony/yaml symfony/serializer symfony/validator twig/*
        league/commonmark newtonsoft.json system.text.json automapper* fluentvalidation*
        yamldotnet csvhelper mapster* swift-protobuf yams
        """),
    ("Cloud and infrastructure", """
        boto3 botocore aiobotocore google-cloud-* google-api-* google-auth* azure-* docker
        kubernetes @aws-sdk/* aws-sdk @azure/* @google-cloud/* googleapis @cloudflare/* wrangler
        firebase firebase-* @vercel/* dockerode github.com/aws/* cloud.google.com/*
        github.com/azure/* github.com/docker/* github.com/moby/* k8s.io/* sigs.k8s.io/*
        github.com/hashicorp/* helm.sh/* aws-* rusoto* azure_* kube k8s-openapi bollard
        software.amazon.awssdk:* com.amazonaws:* com.google.cloud:* com.azure:* io.fabric8:*
        io.kubernetes:* fog* awssdk.* azure.* aspire.* google.cloud.* dagger.io/*
        github.com/google/go-github* github.com/google/go-containerregistry code.gitea.io/sdk*
        gitlab.com/gitlab-org/api/client-go pygithub @octokit/* octokit
        """),
    ("Build and types", " ".join((
        *frameworks.BUNDLERS,
        """typescript typescript-* @types/* vite-* @vitejs/* rollup-* @rollup/* webpack-*
        *-loader @babel/* babel-* @swc/* tsup tsx ts-node tsdown unbuild esbuild-* rolldown*
        turbo nx @nx/* lerna @changesets/* semantic-release* @semantic-release/* nodemon
        concurrently npm-run-all* cross-env rimraf del-cli bumpp np size-limit @size-limit/*
        wireit patch-package setuptools* wheel hatchling hatch-* flit-core flit_core poetry-core
        pdm-backend uv-build uv_build build twine bump2version cython maturin setuptools-scm
        versioningit cc cmake bindgen cbindgen pkg-config vergen* built syn quote proc-macro2
        proc-macro-* rustversion autocfg org.jetbrains.kotlin* org.jetbrains.kotlin*:*
        com.android.tools.build:* org.graalvm* *-maven-plugin *:*-maven-plugin com.gradle*
        org.gradle* com.vanniktech* org.jetbrains.dokka* rake bundler rake-* bootsnap webpacker
        vite_rails jsbundling-rails cssbundling-rails shakapacker microsoft.sourcelink* minver
        nerdbank* gitversion* microsoft.build.* swift-docc-plugin swift-syntax""",
    ))),
    ("Documentation", """
        sphinx sphinx-* sphinx_* sphinxcontrib-* furo mkdocs mkdocs-* mkdocstrings*
        pallets-sphinx-themes myst-parser pdoc* typedoc typedoc-* jsdoc* @docusaurus/*
        vitepress* vuepress* storybook @storybook/* yard* sdoc rdoc github.com/swaggo/*
        *swagger* *springdoc* drf-spectacular* docfx
        """),
)  # fmt: skip
OTHER = "Other"
NAMES: tuple[str, ...] = (*(name for name, _ in _GROUPS), OTHER)


def group_of(name: str) -> str:
    """The name of a group, OTHER for a package that no pattern knows."""
    plain = name.lower()
    return next((group for group, test in _compiled() if test.match(plain)), OTHER)


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (group, re.compile("|".join(map(fnmatch.translate, patterns.split()))))
        for group, patterns in _GROUPS
    )
