"""Where the data of a product is, as its code, settings and images say."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.data.storage import storage
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("path", "line", "row"),
    [
        ("Start.cs", 'UseSqlite("Data Source=config/shop.db");', ("Database", "config/shop.db")),
        ("a.py", 'c = sqlite3.connect("shop.sqlite")', ("Database", "shop.sqlite")),
        ("a.py", 'URL = "sqlite:///data/shop.db"', ("Database", "data/shop.db")),
        ("a.go", 'db, err := sql.Open("sqlite3", "./shop.db")', ("Database", "./shop.db")),
        (
            "Dirs.cs",
            'CoverDirectory = Path.Join(Config, "covers");',
            ("CoverDirectory", "{Config}/covers"),
        ),
        (
            "a.py",
            'UPLOAD_DIR: str = os.path.join(BASE, "media", "up")',
            ("UPLOAD_DIR", "{BASE}/media/up"),
        ),
        (
            "a.js",
            "const uploadPath = path.join(__dirname, 'up')",
            ("uploadPath", "{__dirname}/up"),
        ),
        ("a.rs", 'let kv_path = data.join("kv.db");', ("kv_path", "{data}/kv.db")),
        ("a.php", "<?php\nreturn DATA . '/shop.db';", ("Database", "{DATA}/shop.db")),
        ("a.php", "<?php\n$storagePath = DATA . '/storage';", ("storagePath", "{DATA}/storage")),
        ("a.py", "MEDIA_ROOT = os.path.join(BASE, 'media')", ("MEDIA_ROOT", "{BASE}/media")),
        ("shop/settings.py", "X = {'ENGINE': 'django.db.backends.postgresql'}", ("PostgreSQL", "")),
        ("shop/settings.py", 'X = {"BACKEND": "django_redis.cache.RedisCache"}', ("Redis", "")),
        (
            "a.php",
            "<?php\n$dsn = A . '/users/' . $user . '/db.sqlite';",
            ("Database", "{A}/users/{…}/db.sqlite"),
        ),
        ("a.go", 'dbPath := filepath.Join(dir, "kv", name+".db")', ("dbPath", "{dir}/kv/{…}.db")),
        (
            "a.go",
            'err := os.Rename(tmp, filepath.Join(dir, "shop.db"))',
            ("Database", "{dir}/shop.db"),
        ),
        (
            "a.py",
            'X = {"name": os.path.join(BASE, "data", "a.db")}',
            ("Database", "{BASE}/data/a.db"),
        ),
        (
            "a.cs",
            'dataDir = Path.Join(Home.Get(Kind.Own, true), "shop");',
            ("dataDir", "{Home.Get(Kind.Own, true)}/shop"),
        ),
        ("a.rb", 'data_path = Rails.root.join("files")', ("data_path", "{Rails.root}/files")),
        ("Dockerfile", "FROM a\nVOLUME /data", ("Volume of the image", "/data")),
    ],
)
def test_files_of_databases_folders_and_volumes_are_where_data_is(
    path: str, line: str, row: tuple[str, str]
) -> None:
    assert [(it.name, it.where) for it in storage(facts_of({path: f"{line}\n"}))] == [row]


def test_a_sample_says_where_a_database_is_and_a_cache_alone_is_no_data() -> None:
    sample = "database:\n  sqlite:\n    path: /var/lib/till.sqlite\ncache_dir: /var/cache\n"
    code = (
        'package till\n\nimport "github.com/spf13/viper"\n\nfunc load() {\n'
        '\tviper.GetString("database.sqlite.path")\n\tviper.GetString("cache_dir")\n}\n'
    )
    files = {"go.mod": "module till\n", "load.go": code, "config-example.yaml": sample}
    assert [(it.name, it.where, it.place.path) for it in storage(facts_of(files))] == [
        ("cache_dir", "/var/cache", "config-example.yaml"),
        ("database.sqlite.path", "/var/lib/till.sqlite", "config-example.yaml"),
    ]
    files["config-example.yaml"] = "cache_dir: /var/cache\n"
    assert storage(facts_of(files)) == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("M.cs", '.Annotation("Sqlite:Autoincrement", true);'),
        ("a.js", "const outputPath = path.join(__dirname, 'x')"),
        ("a.js", "const dataPath = path.join(dir, '.')"),
        ("a.go", 'dbPath := filepath.Join(dir, edition+".mmdb")'),
        ("test_a.py", 'c = sqlite3.connect("shop.sqlite")'),
        ("src/import/bash.rs", 'let db_path = config.join("history.db");'),
        ("Migrations/20240101000000_Move.cs", 'var s = Open("Filename=users.db");'),
        ("Book.cs", 'var coverPath = Path.Combine("Images", name);'),
        ("a.php", "<?php\n$cachePath = readable(join_all('image.cache'));"),
        ("a.cs", 'oldDbFile = Path.Combine(Home, "shop.db");'),
        ("examples/a.py", 'c = sqlite3.connect("shop.sqlite")'),
    ],
)
def test_other_literals_and_what_is_beside_the_product_are_not(path: str, line: str) -> None:
    assert storage(facts_of({path: f"{line}\n"})) == ()


def test_a_database_that_a_variable_holds_is_listed_once() -> None:
    code = 'let kv_path = data.join("kv.db");\nassert_eq!(path, data.join("kv.db"));\n'
    (row,) = storage(facts_of({"a.rs": code}))
    assert (row.name, row.place.line) == ("kv_path", 1)


def test_a_setting_with_a_default_decides_which_database_it_is() -> None:
    code = (
        "import os\n\nDRIVER = os.environ.get('DB_DRIVER', 'sqlite')\nN = os.getenv('SHOP', 'a')\n"
    )
    rows = storage(facts_of({"a.py": code}))
    assert [(it.name, it.where, it.place.line) for it in rows] == [("DB_DRIVER", "sqlite", 3)]


def test_volumes_are_named_once_and_those_of_the_repository_hold_no_data() -> None:
    facts = facts_of({
        "compose.yml": "services:\n  web:\n    image: a\n    volumes:\n"
        "      - media:/app/media\n      - ./nginx.conf:/etc/nginx.conf\n      - .:/app\n"
        "      - static:/app/static:ro\n      - ./data:/data\n"
        "  work:\n    image: a\n    volumes:\n      - media:/app/media\n",
        "nginx.conf": "server {}\n",
    })  # fmt: skip
    assert [(it.name, it.where) for it in storage(facts)] == [
        ("Volume of web, work", "media:/app/media"), ("Volume of web", "./data:/data"),
    ]  # fmt: skip


def test_an_example_of_the_environment_names_what_is_connected_to() -> None:
    example = "DATABASE_URL=postgres://a@b/c\nexport REDIS_URL_PUBLIC=\nexport REDIS_URL=\n"
    example += "# ELASTICSEARCH_URL=\nAWS_S3_BUCKET=\nSTRIPE_URL=\n"
    rows = storage(facts_of({".env.example": example}))
    assert [(it.name, it.place.line) for it in rows] == [("PostgreSQL", 1), ("Redis", 3), ("S3", 5)]
