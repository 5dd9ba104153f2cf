"""Databases, caches and queues: the clients that manifests name, and how they are started.

Names of dependencies are fnmatch patterns in lower case.
"""

from __future__ import annotations

import re

DATABASES = (
    "pg", "postgres", "postgresql", "mysql*", "mariadb", "@prisma/client", "typeorm", "sequelize",
    "knex", "drizzle-orm", "mikro-orm", "@mikro-orm/*", "@clickhouse/client", "@supabase/*",
    "psycopg*", "asyncpg", "aiopg", "pymysql", "mysqlclient", "aiomysql", "clickhouse-*",
    "github.com/lib/pq", "github.com/jackc/pgx*", "github.com/go-sql-driver/mysql",
    "gorm.io/driver/*", "github.com/gomodule/redigo", "github.com/clickhouse/*",
    "github.com/uptrace/bun*", "sqlx", "diesel*", "tokio-postgres", "postgres", "sea-orm",
    "org.postgresql:*", "mysql:*", "com.mysql:*", "org.mariadb.jdbc:*",
    "com.oracle.database.jdbc:*", "com.microsoft.sqlserver:*",
    "org.springframework.boot:spring-boot-starter-jdbc", "io.quarkus:quarkus-jdbc-*",
    "io.quarkus:quarkus-reactive-*client", "io.r2dbc:*", "npgsql*",
    "microsoft.entityframeworkcore.sqlserver", "pomelo.entityframeworkcore.mysql",
    "mysqlconnector", "microsoft.data.sqlclient", "dapper", "mysql2", "trilogy", "pg",
    "activerecord-*", "doctrine/*", "laravel/framework", "illuminate/database", "ext-pdo_mysql",
    "ext-pdo_pgsql", "ext-pgsql", "postgrex", "ecto_sql", "myxql", "redix", "oban",
)  # fmt: skip
"""Clients of databases that have a schema."""
MAPPERS = (
    "org.springframework.boot:spring-boot-starter-data-jpa",
    "org.springframework.boot:spring-boot-starter-data-jdbc",
    "org.springframework.boot:spring-boot-starter-data-r2dbc", "org.hibernate*:*",
    "com.h2database:*", "org.flywaydb:*", "org.liquibase:*", "io.quarkus:quarkus-hibernate*",
    "sqlalchemy", "sqlmodel", "django", "peewee", "tortoise-orm", "alembic", "rusqlite",
    "gorm.io/gorm", "entgo.io/ent", "github.com/mattn/go-sqlite3", "modernc.org/sqlite",
    "better-sqlite3", "sqlite3", "microsoft.entityframeworkcore*", "rails", "activerecord",
    "org.jooq:*", "org.mybatis*:*", "com.baomidou:*", "ecto", "slick", "com.typesafe.slick:*",
    "libsql", "@libsql/client", "kysely", "prisma", "objection",
)  # fmt: skip
"""Libraries that map to databases, also to those within the process."""
STORES = (
    "mongodb", "mongoose", "redis", "ioredis", "bull", "bullmq", "amqplib", "kafkajs",
    "elasticsearch", "@elastic/elasticsearch", "nats", "memcached", "pymongo", "motor", "redis",
    "celery", "kombu", "pika", "aio-pika", "kafka-python*", "confluent-kafka", "aiokafka",
    "elasticsearch*", "opensearch-py", "cassandra-driver", "django-redis", "rq", "arq",
    "dramatiq*", "pymemcache", "go.mongodb.org/mongo-driver*", "github.com/redis/go-redis*",
    "github.com/go-redis/redis*", "github.com/segmentio/kafka-go", "github.com/ibm/sarama",
    "github.com/shopify/sarama", "github.com/confluentinc/confluent-kafka-go*",
    "github.com/streadway/amqp", "github.com/rabbitmq/amqp091-go", "github.com/nats-io/nats.go",
    "github.com/elastic/go-elasticsearch*", "github.com/bradfitz/gomemcache", "mongodb", "redis",
    "deadpool-*", "lapin", "rdkafka", "async-nats", "scylla",
    "org.springframework.boot:spring-boot-starter-data-*",
    "org.springframework.boot:spring-boot-starter-amqp", "org.springframework.kafka:*",
    "redis.clients:*", "io.lettuce:*", "org.mongodb:*", "org.apache.kafka:*",
    "org.elasticsearch*:*", "co.elastic.clients:*", "org.redisson:*", "mongodb.driver",
    "stackexchange.redis", "microsoft.extensions.caching.stackexchangeredis", "rabbitmq.client",
    "masstransit*", "confluent.kafka", "aspire.*", "nest", "elastic.clients.elasticsearch",
    "redis", "sidekiq", "resque", "bunny", "ruby-kafka", "mongoid", "elasticsearch-*",
    "searchkick", "dalli", "predis/predis", "laravel/horizon", "php-amqplib/*", "mongodb/*",
    "elasticsearch/elasticsearch", "ext-redis",
)  # fmt: skip
"""Clients of caches, queues, searches and databases without a schema."""
ORCHESTRATORS = (
    "**/Tiltfile", "**/skaffold.{yaml,yml}", "garden.{yml,yaml}", "**/supabase/config.toml",
        "**/docker-bake.dev.hcl", "process-compose.{yml,yaml}", "**/devspace.yaml",
        "**/.devcontainer/**/{docker-,}compose*.{yml,yaml}", "**/Vagrantfile",
)  # fmt: skip
CONTAINERS = (
    "testcontainers*",
    "org.testcontainers:*",
    "github.com/testcontainers/*",
    "@testcontainers/*",
    "aspire.hosting*",
    "aspire.apphost*",
    "localstack*",
    "org.springframework.boot:spring-boot-docker-compose",
    "laravel/sail",
)
IMAGES = re.compile(
    r"(?:^|/|\b)(?:postgres|postgis|pgvector|timescale|mysql|mariadb|mongo|redis|valkey|keydb"
    r"|dragonfly|memcached|rabbitmq|kafka|redpanda|zookeeper|nats|elasticsearch|opensearch"
    r"|clickhouse|cassandra|scylla|cockroach|mssql|sqlserver|azure-sql|minio|seaweedfs|rustfs"
    r"|localstack|azurite|mailhog|mailpit|maildev|mailcatcher|smtp4dev|meilisearch|typesense"
    r"|qdrant|weaviate|chroma|milvus|neo4j|dynamodb|vault|keycloak|consul|etcd|influxdb|solr"
    r"|couchdb|beanstalkd|temporal|pubsub-emulator|firebase|supabase|surrealdb|manticore|ollama"
    r"|pgbouncer|db)(?:\b|[-_/:])",
    re.I,
)
"""Images of them, by a word of the reference."""
SCHEMAS = (
    "**/schema.prisma", "**/prisma/**/*.prisma", "**/drizzle.config.{ts,js,mjs}",
        "**/drizzle/**/*.sql", "**/alembic.ini", "**/alembic/versions/*.py", "**/db/schema.rb",
        "**/db/structure.sql", "**/{db/,database/,}migrate/*.rb",
    "**/{migrations,Migrations,migration,versions}/**/*.{sql,py,rb,cs,php,ts,js,go,java}",
    "**/{migrations,Migrations,migration,versions}/**/*.{kt,ex,exs,xml,yml,yaml,json,rs}",
    "**/database/migrations/*.php", "**/V[0-9]*__*.{sql,java,kt}",
    "**/{changelog,changelogs,liquibase}/**/*.{xml,yml,yaml,sql,json}",
    "**/*changelog*master*.{xml,yml,yaml}",
    "**/atlas.hcl", "**/sqlc.{yaml,yml,json}", "**/priv/**/migrations/*.exs", "**/ent/schema/*.go",
        "**/{schema,schemas,db,sql,database}/**/*schema*.sql",
        "**/{schema,create_tables,tables,init,initdb}.sql", "**/db/**/*.sql",
        "**/dbschema/*.{esdl,gel}", "**/{changeset,dbt_project}.yml", "**/*.sqlproj",
        "**/models/**/*.dbml",
    "**/doctrine/**/*.orm.xml", "**/sql/**/*.sql", "**/{migration,migrations}.{go,rs,py,ts,js}",
)  # fmt: skip
"""Evidence table E16: where schemas and migrations are."""
