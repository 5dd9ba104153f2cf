-- The schema of revision 0010 on SQLite; `oldest.py` makes it on both databases.
CREATE TABLE organizations (org_id TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (org_id));
CREATE TABLE members (org_id TEXT NOT NULL, user_id TEXT NOT NULL, email TEXT NOT NULL, role TEXT
    NOT NULL, created_at INTEGER NOT NULL, removed_at INTEGER, PRIMARY KEY (org_id, user_id), UNIQUE
    (org_id, email));
CREATE TABLE service_accounts (org_id TEXT NOT NULL, service_account_id TEXT NOT NULL, name TEXT NOT
    NULL, role TEXT NOT NULL, is_active BOOLEAN NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY
    (org_id, service_account_id), UNIQUE (org_id, name));
CREATE TABLE api_keys (key_id TEXT NOT NULL, org_id TEXT NOT NULL, principal_kind TEXT NOT NULL,
    principal_id TEXT NOT NULL, name TEXT NOT NULL, scope TEXT NOT NULL, secret_hash TEXT NOT NULL,
    hint TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER,
    last_used_at INTEGER, PRIMARY KEY (key_id), UNIQUE (secret_hash));
CREATE TABLE lake_days (org_id TEXT NOT NULL, day TEXT NOT NULL, landed INTEGER NOT NULL, rolled
    INTEGER NOT NULL, rolled_at INTEGER, cost_ms INTEGER, PRIMARY KEY (org_id, day));
CREATE TABLE moved_batches (batch_id TEXT NOT NULL, moved_at INTEGER NOT NULL, PRIMARY KEY
    (batch_id));
CREATE TABLE intake_counts (org_id TEXT NOT NULL, day TEXT NOT NULL, product TEXT NOT NULL, source
    TEXT NOT NULL, outcome TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (org_id, day, product,
    source, outcome));
CREATE TABLE report_documents (org_id TEXT NOT NULL, report TEXT NOT NULL, day TEXT NOT NULL,
    revision INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (org_id,
    report, day));
CREATE INDEX report_documents_by_day ON report_documents (org_id, day, revision);
CREATE TABLE user_documents (org_id TEXT NOT NULL, user_id TEXT NOT NULL, day TEXT NOT NULL, digest
    BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (org_id, user_id, day)) WITHOUT ROWID;
CREATE TABLE active_users (org_id TEXT NOT NULL, day TEXT NOT NULL, user_id TEXT NOT NULL,
    is_counted BOOLEAN NOT NULL, PRIMARY KEY (org_id, day, user_id)) WITHOUT ROWID;
CREATE TABLE session_days (org_id TEXT NOT NULL, session_id TEXT NOT NULL, day TEXT NOT NULL,
    PRIMARY KEY (org_id, session_id, day)) WITHOUT ROWID;
CREATE INDEX session_days_by_day ON session_days (org_id, day);
CREATE TABLE audit_log (org_id TEXT NOT NULL, audit_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    event_type TEXT NOT NULL, source TEXT NOT NULL, actor_kind TEXT, actor_id TEXT, actor_email
    TEXT, actor_role TEXT, target_kind TEXT, target_id TEXT, payload TEXT, PRIMARY KEY (org_id,
    audit_id)) WITHOUT ROWID;
ALTER TABLE members ADD COLUMN joined_at INTEGER;
ALTER TABLE service_accounts ADD COLUMN removed_at INTEGER;
ALTER TABLE api_keys ADD COLUMN role TEXT;
CREATE INDEX api_keys_by_principal ON api_keys (org_id, principal_id);
CREATE INDEX audit_log_by_type ON audit_log (org_id, event_type, audit_id);
CREATE TABLE one_time_links (org_id TEXT NOT NULL, user_id TEXT NOT NULL, purpose TEXT NOT NULL,
    link_hash TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at
    INTEGER, PRIMARY KEY (org_id, user_id, purpose), UNIQUE (link_hash));
CREATE TABLE passwords (org_id TEXT NOT NULL, user_id TEXT NOT NULL, hash TEXT NOT NULL, changed_at
    INTEGER NOT NULL, PRIMARY KEY (org_id, user_id));
CREATE TABLE sessions (org_id TEXT NOT NULL, session_id TEXT NOT NULL, user_id TEXT NOT NULL, method
    TEXT NOT NULL, family_hash TEXT NOT NULL, secret_hash TEXT NOT NULL, previous_hash TEXT,
    created_at INTEGER NOT NULL, renewed_at INTEGER NOT NULL, used_at INTEGER NOT NULL, expires_at
    INTEGER NOT NULL, revoked_at INTEGER, PRIMARY KEY (org_id, session_id), UNIQUE (family_hash));
CREATE INDEX sessions_by_user ON sessions (org_id, user_id);
CREATE TABLE signing_keys (kid TEXT NOT NULL, sealed BLOB NOT NULL, public TEXT NOT NULL, created_at
    INTEGER NOT NULL, retired_at INTEGER, PRIMARY KEY (kid));
CREATE INDEX members_by_email ON members (email);
CREATE TABLE repositories (org_id TEXT NOT NULL, repo_id TEXT NOT NULL, url TEXT NOT NULL, provider
    TEXT NOT NULL, default_branch TEXT, head_commit TEXT, fetched_at INTEGER, fetch_error TEXT,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, removed_at INTEGER, PRIMARY KEY (org_id,
    repo_id), UNIQUE (org_id, url));
CREATE TABLE repository_credentials (org_id TEXT NOT NULL, repo_id TEXT NOT NULL, kind TEXT NOT
    NULL, username TEXT, sealed BLOB NOT NULL, PRIMARY KEY (org_id, repo_id));
CREATE TABLE global_credit_limits (org_id TEXT NOT NULL, credits INTEGER NOT NULL, PRIMARY KEY
    (org_id));
CREATE TABLE credit_limits (org_id TEXT NOT NULL, principal_id TEXT NOT NULL, credits INTEGER NOT
    NULL, PRIMARY KEY (org_id, principal_id)) WITHOUT ROWID;
ALTER TABLE active_users ADD COLUMN billable_tokens INTEGER DEFAULT '0' NOT NULL;
CREATE INDEX active_users_by_user ON active_users (org_id, user_id, day, billable_tokens);
CREATE TABLE readiness_reports (org_id TEXT NOT NULL, report_id TEXT NOT NULL, repo_id TEXT NOT
    NULL, created_at INTEGER NOT NULL, repo_url TEXT NOT NULL, digest BLOB NOT NULL, scores BLOB NOT
    NULL, body BLOB NOT NULL, PRIMARY KEY (org_id, report_id));
CREATE INDEX readiness_reports_by_time ON readiness_reports (org_id, created_at, report_id);
CREATE INDEX readiness_reports_by_repository ON readiness_reports (org_id, repo_id, created_at,
    report_id);
CREATE TABLE latest_readiness_reports (org_id TEXT NOT NULL, repo_id TEXT NOT NULL, report_id TEXT
    NOT NULL, PRIMARY KEY (org_id, repo_id)) WITHOUT ROWID;
CREATE TABLE computers (org_id TEXT NOT NULL, computer_id TEXT NOT NULL, name TEXT NOT NULL,
    owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL, provider TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, removed_at INTEGER, remote_user TEXT, host_id TEXT, machine_hash
    TEXT, credential_hash TEXT, hostname TEXT, cloned_repo_directories TEXT NOT NULL,
    provisioning_steps TEXT NOT NULL, source TEXT, PRIMARY KEY (org_id, computer_id));
CREATE UNIQUE INDEX computers_by_name ON computers (org_id, name, owner_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX computers_by_host ON computers (org_id, host_id) WHERE removed_at IS NULL;
CREATE INDEX computers_by_owner ON computers (org_id, owner_kind, owner_id) WHERE removed_at IS NULL;
CREATE TABLE computer_events (org_id TEXT NOT NULL, computer_id TEXT NOT NULL, event_id TEXT NOT
    NULL, created_at INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL, cause TEXT NOT
    NULL, actor_id TEXT NOT NULL, PRIMARY KEY (org_id, computer_id, event_id));
CREATE TABLE computer_secrets (org_id TEXT NOT NULL, name TEXT NOT NULL, sealed BLOB NOT NULL,
    updated_at INTEGER NOT NULL, PRIMARY KEY (org_id, name));
CREATE TABLE wiki_runs (org_id TEXT NOT NULL, run_id TEXT NOT NULL, repository_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, privacy_level TEXT NOT NULL, page_count
    INTEGER NOT NULL, repo_url TEXT NOT NULL, commit_hash TEXT, branch TEXT, has_local_changes
    BOOLEAN, has_non_remote_commits BOOLEAN, model_id TEXT, reasoning_effort TEXT, agent_version
    TEXT, source_session_id TEXT, page_tree BLOB NOT NULL, PRIMARY KEY (org_id, run_id));
CREATE INDEX wiki_runs_by_repository ON wiki_runs (org_id, repository_id, run_id);
CREATE TABLE wiki_pages (org_id TEXT NOT NULL, run_id TEXT NOT NULL, page_id TEXT NOT NULL, path
    TEXT NOT NULL, title TEXT NOT NULL, position INTEGER NOT NULL, is_index BOOLEAN NOT NULL, digest
    BLOB NOT NULL, PRIMARY KEY (org_id, run_id, page_id)) WITHOUT ROWID;
CREATE INDEX wiki_pages_by_body ON wiki_pages (org_id, digest);
CREATE TABLE wiki_assets (org_id TEXT NOT NULL, run_id TEXT NOT NULL, path TEXT NOT NULL, media_type
    TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (org_id, run_id, path)) WITHOUT ROWID;
CREATE INDEX wiki_assets_by_body ON wiki_assets (org_id, digest);
CREATE TABLE wiki_bodies (org_id TEXT NOT NULL, digest BLOB NOT NULL, content BLOB NOT NULL, PRIMARY
    KEY (org_id, digest));
CREATE TABLE ci_scans (org_id TEXT NOT NULL, repo_id TEXT NOT NULL, checked_at INTEGER NOT NULL,
    status TEXT NOT NULL, error TEXT, revision INTEGER, commit_hash TEXT, scanned_at INTEGER,
    workflows TEXT, PRIMARY KEY (org_id, repo_id)) WITHOUT ROWID;
