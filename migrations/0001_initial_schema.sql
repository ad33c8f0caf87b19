-- Up Migration

-- The schema of the first release. A database applies this file once, so a released file never changes: add a new one.
--
-- No request crosses teams, so every key and every unique index starts with team_id: a team can move to another
-- database without a changed statement. Times are in seconds since 1970 unless a column says otherwise.

-- Agents --------------------------------------------------------------------------------------------------------------

CREATE TABLE agents (
  team_id uuid NOT NULL,
  -- A UUID version 7 made at created_at: the order of ids is the order of creation.
  id uuid NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  created_by uuid NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,

  agent_name text NOT NULL,
  model_name text NOT NULL,
  agent_url text,
  hub text NOT NULL,
  agent_system_prompt text,
  rate_limit_requests_per_minute integer NOT NULL CHECK (rate_limit_requests_per_minute >= 1),
  status text NOT NULL,
  access_level text NOT NULL,
  purpose text,
  protocol text NOT NULL,
  test_score numeric,
  last_tested_by text,
  last_evaluated_at bigint,
  protection_status text NOT NULL,
  guard_config_id uuid,
  guard_manually_configured boolean NOT NULL,
  trust_stage text NOT NULL,
  trusted_at bigint,
  ttt_days double precision,

  -- json, not jsonb: it keeps the text as it was received, and 1e300 does not become 300 digits.
  agent_params json,
  mcp_config json,
  delegated_agents json NOT NULL,
  white_box_config json,
  agent_metadata json,
  evaluated_harnesses json,
  import_metadata json NOT NULL,
  capabilities json NOT NULL,
  skills json NOT NULL,

  -- Each secret is stored encrypted, with the mask that responses show and a fingerprint that detects a change.
  -- white_box_config contains the mask of its token.
  api_key_sealed bytea,
  api_key_mask text,
  api_key_fingerprint bytea,
  github_token_sealed bytea,
  github_token_mask text,
  github_token_fingerprint bytea,
  -- The revision that set each secret; null without a secret. Two different secrets can have the same mask.
  api_key_revision bigint,
  github_token_revision bigint,
  -- The named secrets: name -> {mask, revision that set it}. Null if there are none. agent_secrets has their values.
  named_secrets json,

  -- The newest completed evaluation, and the last revision that changed how the agent behaves. An evaluation of an
  -- older revision is outdated.
  latest_evaluation json,
  behaviour_revision bigint NOT NULL DEFAULT 1,

  -- Grows when a configuration set takes fields of the agent without a revision. A change of the agent that was read
  -- before then does not pass, so that no drift is missed. 0: no set has ever owned the agent.
  set_version integer NOT NULL DEFAULT 0,

  -- The size of the fields, computed by the console. A list page ends by it without reading large values.
  bytes integer NOT NULL,

  PRIMARY KEY (team_id, id)
)
-- Leaves room on each page for the next version of a row, so that an update does not touch the indexes.
WITH (fillfactor = 80);

-- The SHA-256 of a URL in its normal form, because a URL may be longer than an index entry. URLs are the same if they
-- differ only in the case of scheme and host, user name and password, the default port, a slash at the end of the
-- path, or the fragment. A text that is no such URL stands for itself. Null for an empty one.
CREATE FUNCTION url_key(url text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  normal text := btrim(url, E' \t\n\r\f\v');
  parts text[] := regexp_match(normal, '^([a-z][a-z0-9+.-]*://)(?:[^/?#]*@)?([^/?#]+)([^?#]*)(\?[^#]+)?', 'i');
BEGIN
  IF normal = '' THEN
    RETURN NULL;
  END IF;
  IF parts IS NOT NULL THEN
    normal := regexp_replace(
        lower((parts[1] || parts[2]) COLLATE "C"), '^(http://.*):80$|^(https://.*):443$', '\1\2'
      ) || regexp_replace(parts[3], '/$', '') || coalesce(parts[4], '');
  END IF;
  RETURN sha256(convert_to(normal, 'UTF8'));
END
$$;

-- The agents that delegations name by a URL: that of the agent, or that of the card that it was imported from.
CREATE INDEX agents_by_url ON agents (team_id, url_key(agent_url), id) WHERE agent_url IS NOT NULL;
CREATE INDEX agents_by_card ON agents (team_id, url_key(import_metadata ->> 'source_url'), id)
  WHERE (import_metadata ->> 'source_url') IS NOT NULL;

-- The encrypted values of the named secrets. The rows of a deleted agent stay until it is erased.
CREATE TABLE agent_secrets (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  -- Detects whether a write changes the secret.
  fingerprint bytea NOT NULL,
  PRIMARY KEY (team_id, agent_id, name)
);

-- An agent from its deletion until it is recovered or erased. The row moves here, so that no other statement can find
-- it. A column that is added to agents must be added here too.
CREATE TABLE deleted_agents (
  deleted_at bigint NOT NULL,
  deleted_by uuid NOT NULL,
  -- When the agent is erased. It can be recovered until then.
  erase_at bigint NOT NULL,
  -- Some of its revisions may already be gone, so it can no longer be recovered.
  is_erasing boolean NOT NULL DEFAULT false,
  -- The revisions up to this one are already gone.
  erased_revision bigint NOT NULL DEFAULT 0,
  LIKE agents,
  PRIMARY KEY (team_id, id)
);

CREATE INDEX deleted_agents_to_erase ON deleted_agents (erase_at);

-- History -------------------------------------------------------------------------------------------------------------

-- One row for each change of an agent. It stores what the change replaced, so a renamed agent does not copy its prompt.
CREATE TABLE agent_revisions (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by uuid NOT NULL,
  action text NOT NULL,
  fields text[] NOT NULL,
  -- The values of those fields before the change; of a secret only its mask.
  before json NOT NULL,
  -- The revision whose values were restored, if the action is `restored`.
  restored_revision bigint,
  reason text,
  -- The whole agent after the change, in every hundredth revision: an old revision is read from the next snapshot, not
  -- from the current agent.
  snapshot json CHECK (snapshot IS NOT NULL OR revision % 100 <> 0),
  -- The fields whose values were removed from `before` for good. A snapshot names its own in its member `redacted`.
  redacted text[],
  PRIMARY KEY (team_id, agent_id, revision)
);

-- Evaluations ---------------------------------------------------------------------------------------------------------

-- The newest evaluations of each agent. Members of a report that the console does not know are only in
-- agents.latest_evaluation. The rows of a deleted agent stay until it is erased.
CREATE TABLE agent_evaluations (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  evaluation_id uuid NOT NULL,
  completed_at bigint NOT NULL,
  revision bigint NOT NULL,
  overall_score double precision,
  reliability_score double precision,
  security_score double precision,
  safety_score double precision,
  PRIMARY KEY (team_id, agent_id, evaluation_id)
);

CREATE INDEX agent_evaluations_by_time ON agent_evaluations (team_id, agent_id, completed_at, revision, evaluation_id);

-- List of agents ------------------------------------------------------------------------------------------------------

-- One narrow row for each agent: what the list filters and sorts by, and what the facets count. A team has its rows
-- in one of 32 partitions, so that they are near each other: a filter that hardly any agent matches reads all of
-- them. Names are compared byte by byte, an order that no upgrade of a collation library changes.
CREATE TABLE agent_filters (
  team_id uuid NOT NULL,
  id uuid NOT NULL,
  status text NOT NULL,
  trust_stage text NOT NULL,
  protection_status text NOT NULL,
  access_level text NOT NULL,
  protocol text NOT NULL,
  -- Whether the latest evaluation still holds: current, outdated or none.
  evaluation text NOT NULL,
  -- The overall score of the latest evaluation; -Infinity if there is none.
  score double precision NOT NULL,
  model_name text NOT NULL,
  hub text NOT NULL,
  -- The first 50 tags, each once.
  tags text[] NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- In lower case, for a search.
  search_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (team_id, id)
) PARTITION BY HASH (team_id);

DO $$
BEGIN
  FOR n IN 0..31 LOOP
    -- With room for the next version of a row, as in agents.
    EXECUTE format(
      'CREATE TABLE agent_filters_%s PARTITION OF agent_filters FOR VALUES WITH (MODULUS 32, REMAINDER %s) '
      'WITH (fillfactor = 80)', n, n);
  END LOOP;
END
$$;

CREATE INDEX agent_filters_by_name ON agent_filters (team_id, name, id);
CREATE INDEX agent_filters_by_score ON agent_filters (team_id, score, id);

-- The row of an agent. SETOF, so that PostgreSQL inlines the function.
CREATE FUNCTION filter_row(agent agents) RETURNS SETOF agent_filters LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT agent.team_id, agent.id, agent.status, agent.trust_stage, agent.protection_status, agent.access_level,
    agent.protocol,
    CASE
      WHEN agent.latest_evaluation IS NULL THEN 'none'
      WHEN (agent.latest_evaluation ->> 'revision')::bigint >= agent.behaviour_revision THEN 'current'
      ELSE 'outdated'
    END,
    coalesce((agent.latest_evaluation ->> 'overall_score')::double precision, '-Infinity'),
    agent.model_name,
    agent.hub,
    CASE WHEN json_typeof(agent.agent_metadata -> 'tags') = 'array' THEN ARRAY(
      SELECT DISTINCT tag FROM (
        SELECT tag FROM json_array_elements_text(agent.agent_metadata -> 'tags') AS tag LIMIT 50
      ) first_tags
      WHERE tag IS NOT NULL
    ) ELSE '{}' END,
    agent.agent_name,
    lower(agent.agent_name)
$$;

CREATE FUNCTION keep_agent_filters() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM agent_filters WHERE team_id = OLD.team_id AND id = OLD.id;
  ELSE
    INSERT INTO agent_filters SELECT * FROM filter_row(NEW)
    ON CONFLICT (team_id, id) DO UPDATE
    SET status = excluded.status, trust_stage = excluded.trust_stage, protection_status = excluded.protection_status,
      access_level = excluded.access_level, protocol = excluded.protocol, evaluation = excluded.evaluation,
      score = excluded.score, model_name = excluded.model_name, hub = excluded.hub, tags = excluded.tags,
      name = excluded.name, search_name = excluded.search_name
    WHERE agent_filters.* IS DISTINCT FROM excluded.*;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER agent_filters_of_new AFTER INSERT OR DELETE ON agents
FOR EACH ROW EXECUTE FUNCTION keep_agent_filters();

-- Other changes, such as those of a prompt without an evaluation, do not call the function.
CREATE TRIGGER agent_filters_of_changed
AFTER UPDATE OF status, trust_stage, protection_status, access_level, protocol, model_name, hub, agent_name,
  agent_metadata, latest_evaluation, behaviour_revision
ON agents FOR EACH ROW
WHEN (
  (OLD.status, OLD.trust_stage, OLD.protection_status, OLD.access_level, OLD.protocol, OLD.model_name, OLD.hub,
    OLD.agent_name, OLD.agent_metadata::text, OLD.latest_evaluation::text)
  IS DISTINCT FROM (NEW.status, NEW.trust_stage, NEW.protection_status, NEW.access_level, NEW.protocol, NEW.model_name,
    NEW.hub, NEW.agent_name, NEW.agent_metadata::text, NEW.latest_evaluation::text)
  OR (NEW.latest_evaluation IS NOT NULL AND OLD.behaviour_revision <> NEW.behaviour_revision)
)
EXECUTE FUNCTION keep_agent_filters();

-- Saved views ---------------------------------------------------------------------------------------------------------

-- Queries and columns of the list of agents that a user has saved.
CREATE TABLE saved_views (
  team_id uuid NOT NULL,
  -- Null for a view of the whole team.
  user_id uuid,
  name text COLLATE "C" NOT NULL,
  query text NOT NULL,
  columns text[] NOT NULL,
  updated_at bigint NOT NULL,
  updated_by uuid NOT NULL,
  UNIQUE NULLS NOT DISTINCT (team_id, user_id, name)
);

-- Delegation ----------------------------------------------------------------------------------------------------------

-- One row for each entry of delegated_agents. It has what the entry names, not which agent that is: reads find the
-- agent. So a change of an agent never touches the delegations to it, however many there are.
CREATE TABLE delegations (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  -- The index in delegated_agents, from 0 to 1000. Entries after that are not stored.
  position integer NOT NULL,
  -- What the entry names, for readers.
  label text,
  -- The id that the entry names; then it has no keys: an entry whose agent is gone does not lead to another agent at
  -- the same URL.
  target_id uuid,
  -- As url_key() makes them.
  card_key bytea,
  url_key bytea,
  PRIMARY KEY (team_id, agent_id, position)
);

CREATE INDEX delegations_by_target ON delegations (team_id, target_id, agent_id, position) WHERE target_id IS NOT NULL;
CREATE INDEX delegations_by_card ON delegations (team_id, card_key, agent_id, position) WHERE card_key IS NOT NULL;
CREATE INDEX delegations_by_url ON delegations (team_id, url_key, agent_id, position) WHERE url_key IS NOT NULL;

CREATE FUNCTION delegation_rows(agent agents) RETURNS SETOF delegations LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT agent.team_id, agent.id, (n - 1)::integer, left(coalesce(target_id::text, card, url, name), 255), target_id,
    CASE WHEN target_id IS NULL THEN url_key(card) END,
    CASE WHEN target_id IS NULL THEN url_key(url) END
  FROM (
    SELECT n, regexp_replace(entry ->> 'agent_id', '^urn:uuid:', '')::uuid AS target_id,
      nullif(btrim(entry ->> 'agent_card_url'), '') AS card, nullif(btrim(entry ->> 'url'), '') AS url,
      nullif(btrim(entry ->> 'name'), '') AS name
    FROM json_array_elements(
      CASE json_typeof(agent.delegated_agents) WHEN 'array' THEN agent.delegated_agents ELSE '[]' END
    ) WITH ORDINALITY AS e (entry, n)
    LIMIT 1001
  ) entries
$$;

CREATE FUNCTION keep_delegations() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM delegations WHERE team_id = OLD.team_id AND agent_id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO delegations SELECT * FROM delegation_rows(NEW);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER delegations_of_new AFTER INSERT ON agents
FOR EACH ROW WHEN (NEW.delegated_agents::text <> '[]') EXECUTE FUNCTION keep_delegations();
CREATE TRIGGER delegations_of_changed AFTER UPDATE OF delegated_agents ON agents
FOR EACH ROW WHEN (OLD.delegated_agents::text <> NEW.delegated_agents::text) EXECUTE FUNCTION keep_delegations();
CREATE TRIGGER delegations_of_deleted AFTER DELETE ON agents
FOR EACH ROW WHEN (OLD.delegated_agents::text <> '[]') EXECUTE FUNCTION keep_delegations();

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['keep_agent_filters()', 'keep_delegations()'] LOOP
    -- They run as their owner: the role of the console only reads these tables. pg_temp last: a caller must not
    -- replace a table of the function by a temporary one.
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
  END LOOP;
END
$$;

-- Configuration sets --------------------------------------------------------------------------------------------------

-- The agents of configuration sets. A set owns some fields of each of its agents, and a field has at most one owner:
-- the transaction that changes `fields` locks the agent first. The rows of a deleted agent stay until it is erased.
CREATE TABLE managed_agents (
  team_id uuid NOT NULL,
  set text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  agent_id uuid NOT NULL,
  -- The revision at which the owned fields had the values of the set.
  applied_revision bigint NOT NULL,
  fields text[] NOT NULL,
  -- The owned fields that another writer has changed since, each with the last revision that did. The statement that
  -- changes the agent writes it.
  drift jsonb NOT NULL DEFAULT '{}',
  applied_at bigint NOT NULL,
  applied_by uuid NOT NULL,
  PRIMARY KEY (team_id, set, key),
  UNIQUE (team_id, agent_id, set)
);

CREATE INDEX managed_agents_drifted ON managed_agents (team_id, set, key) WHERE drift <> '{}';

-- Idempotency, bulk requests and imports ------------------------------------------------------------------------------

-- The agent that a creation with an Idempotency-Key made. The key outlives the agent, so that a late retry does not
-- create it again.
CREATE TABLE idempotency_keys (
  team_id uuid NOT NULL,
  key text NOT NULL,
  -- An HMAC: the body may contain a secret, and a plain hash of a short one can be guessed.
  request_hash bytea NOT NULL,
  agent_id uuid NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (team_id, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Bulk requests with an Idempotency-Key. A repetition works on the same agents, whatever the filters match by then.
CREATE TABLE bulk_requests (
  team_id uuid NOT NULL,
  -- The user and the key, as in idempotency_keys.
  key text NOT NULL,
  request_hash bytea NOT NULL,
  id uuid NOT NULL,
  agent_ids uuid[] NOT NULL,
  -- The result of each agent; null until the request is complete.
  results json,
  created_at bigint NOT NULL,
  PRIMARY KEY (team_id, key)
);

CREATE INDEX bulk_requests_by_age ON bulk_requests (created_at);

-- The changes that a bulk request has made. The statement that changes the agent inserts the row, so that a repetition
-- finds out which agents are done.
CREATE TABLE bulk_changes (
  team_id uuid NOT NULL,
  bulk_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  revision bigint NOT NULL,
  fields text[] NOT NULL,
  PRIMARY KEY (team_id, bulk_id, agent_id)
);

-- The external keys of imported agents: what makes a second import update the agents of the first. The statement that
-- creates the agent inserts the row; the row outlives the deletion of the agent and is erased with it.
CREATE TABLE imported_agents (
  team_id uuid NOT NULL,
  -- Chosen by the client. Never the name of the agent.
  external_key text NOT NULL,
  agent_id uuid NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (team_id, external_key)
);

-- To erase the row with its agent.
CREATE INDEX imported_agents_by_agent ON imported_agents (team_id, agent_id);

-- Users ---------------------------------------------------------------------------------------------------------------

-- The display names of users, as their tokens have them. Revisions and audit events store only the id of a user, so
-- that a name that is erased here is gone everywhere.
CREATE TABLE users (
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (team_id, user_id)
);

-- Events --------------------------------------------------------------------------------------------------------------

-- One event for each revision, written in the same transaction and deleted after its delivery. The columns are those
-- that outbox routers for change data capture expect.
CREATE TABLE outbox (
  team_id uuid NOT NULL,
  aggregateid uuid NOT NULL,
  -- The events of an agent are delivered in this order.
  revision bigint NOT NULL,
  aggregatetype text NOT NULL DEFAULT 'agent',
  -- The deduplication key of the message.
  id text NOT NULL,
  type text NOT NULL,
  payload json NOT NULL,
  -- Only decides which agents are delivered first. The clock can go back, and transactions commit in another order.
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (team_id, aggregateid, revision)
)
-- Every row is deleted soon, so a share of the table says nothing about the number of dead tuples.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

CREATE INDEX outbox_by_age ON outbox (written_at);

-- How far delivery has come: one row. A restored database is older than its stream, and this row shows it.
CREATE TABLE event_delivery (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  -- Changes when delivery continues after a restore. Revisions of different epochs cannot be compared.
  epoch bigint NOT NULL DEFAULT 1,
  -- The JetStream stream, by its creation in milliseconds since 1970, and the last sequence that the relay stored in
  -- it.
  stream_created_at bigint,
  last_sequence bigint NOT NULL DEFAULT 0,
  -- Since when delivery has stopped because the stream holds events that this database does not have.
  diverged_at timestamptz
);

INSERT INTO event_delivery DEFAULT VALUES;

-- Audit log -----------------------------------------------------------------------------------------------------------

-- Who did what: every write, every read of secrets, every refusal. It contains names of fields, never their values.
-- Partitioned by month. The id is a UUID version 7, so its order is the order of time.
CREATE TABLE audit_events (
  team_id uuid NOT NULL,
  id uuid NOT NULL,
  at bigint NOT NULL,
  user_id uuid NOT NULL,
  action text NOT NULL,
  agent_id uuid,
  request_id text NOT NULL,
  -- The interface that the user used.
  via text NOT NULL DEFAULT 'api',
  -- The application that the token was issued to. Null if the token does not say it.
  client_id text,
  detail json NOT NULL,
  PRIMARY KEY (team_id, id)
) PARTITION BY RANGE (id);

CREATE INDEX audit_events_of_agent ON audit_events (team_id, agent_id, id) WHERE agent_id IS NOT NULL;

CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

-- A statement trigger, so that a statement that would change no row is refused too. ALWAYS: an ordinary trigger does
-- not fire while session_replication_role is replica.
CREATE TRIGGER audit_events_append_only
BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_append_only;

-- The smallest UUID version 7 of a time.
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The events of a team between two ids that match every filter that is not null, in the order of their ids. It examines
-- at most `depth` events; if it stops there, a last row that is no match has the id where to continue. A function,
-- because the planner must read the partitions in order by their indexes: for an agent of which it expects few events
-- it would read and sort all of them.
CREATE FUNCTION search_audit_events(
  team uuid, after_id uuid, before_id uuid, is_ascending boolean, size integer, depth integer,
  for_agent uuid, by_user uuid, with_action text, with_field text, with_via text, by_client text, since bigint, until bigint
) RETURNS TABLE (is_match boolean, event audit_events)
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  examined record;
  examined_count integer := 0;
  match_count integer := 0;
BEGIN
  FOR examined IN EXECUTE format(
    'SELECT e AS event, (($6 IS NULL OR user_id = $6) AND ($7 IS NULL OR action = $7) AND ($8 IS NULL OR via = $8) '
    'AND ($9 IS NULL OR client_id = $9) AND ($10 IS NULL OR at >= $10) AND ($11 IS NULL OR at < $11) '
    'AND ($12 IS NULL OR CASE json_typeof(detail -> ''fields'') WHEN ''array'' '
    'THEN $12 IN (SELECT json_array_elements_text(detail -> ''fields'')) END)) IS TRUE AS is_match '
    'FROM audit_events e WHERE team_id = $1 AND id > $2 AND id < $3 %s ORDER BY id %s LIMIT $4',
    CASE WHEN for_agent IS NOT NULL THEN 'AND agent_id = $5' END, CASE WHEN is_ascending THEN 'ASC' ELSE 'DESC' END)
  USING team, after_id, before_id, depth, for_agent, by_user, with_action, with_via, by_client, since, until, with_field
  LOOP
    examined_count := examined_count + 1;
    CONTINUE WHEN NOT examined.is_match;
    match_count := match_count + 1;
    is_match := true;
    event := examined.event;
    RETURN NEXT;
    EXIT WHEN match_count = size;
  END LOOP;
  IF examined_count = depth AND match_count < size THEN
    is_match := false;
    event := examined.event;
    RETURN NEXT;
  END IF;
END
$$;

-- The bounds of each partition of the audit log; null for the lower bound of the first.
CREATE VIEW audit_partitions AS
SELECT relname AS name,
  substring(pg_get_expr(relpartbound, oid) FROM $pattern$FROM \('([0-9a-f-]+)'\)$pattern$)::uuid AS first_id,
  substring(pg_get_expr(relpartbound, oid) FROM $pattern$TO \('([0-9a-f-]+)'\)$pattern$)::uuid AS end_id
FROM pg_inherits JOIN pg_class ON oid = inhrelid
WHERE inhparent = 'audit_events'::regclass;

-- The next functions run as their owner, so that the role of the console needs no right to change tables. Each is
-- called as a statement of its own: its locks end with it, even if the caller hangs. Callers try again after a lock
-- timeout.

-- Creates the partition of a month, unless it exists. Statement triggers are not inherited, so each partition has its
-- own. ATTACH does not block writes.
CREATE FUNCTION create_audit_partition(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
DECLARE
  partition text := to_char(month, '"audit_events_"YYYY_MM');
  starts timestamptz := date_trunc('month', month)::timestamp AT TIME ZONE 'UTC';
  ends timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp AT TIME ZONE 'UTC';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_events'));
  IF to_regclass(partition) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING ALL)', partition);
  EXECUTE format(
    'CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
    'FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit()', partition);
  EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER audit_events_append_only', partition);
  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
    partition, first_id_at(starts), first_id_at(ends));
END
$$;

-- Detaches the oldest partition if all its records are older than a month, and returns whether it did. A write waits
-- for at most the lock timeout: the lock on the partition is taken without waiting, before the one on the whole table.
CREATE FUNCTION expire_audit_partition(month date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
DECLARE
  partition text;
  ends uuid;
BEGIN
  -- Limits what a stolen role can remove.
  IF month > date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month' THEN
    RAISE EXCEPTION 'the audit records of this month and the last one are kept' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('audit_events'));
  SELECT relname, substring(pg_get_expr(relpartbound, oid) FROM $pattern$TO \('([0-9a-f-]+)'\)$pattern$)::uuid AS upper_bound
  INTO partition, ends
  FROM pg_inherits JOIN pg_class ON oid = inhrelid
  WHERE inhparent = 'audit_events'::regclass
  ORDER BY upper_bound
  LIMIT 1;
  IF ends IS NULL OR ends > first_id_at(date_trunc('month', month)::timestamp AT TIME ZONE 'UTC') THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE NOWAIT', partition);
  EXECUTE format('ALTER TABLE audit_events DETACH PARTITION %I', partition);
  -- Marks it for the next function. A partition that an operator detached keeps its name and is never dropped.
  EXECUTE format('ALTER TABLE %I RENAME TO %I', partition, 'expired_' || partition);
  RETURN true;
END
$$;

-- Drops an expired partition, and returns whether there was one.
CREATE FUNCTION drop_expired_audit_partition() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
DECLARE
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_events'));
  SELECT relname INTO partition FROM pg_class
  WHERE relname LIKE 'expired\_audit\_events\_%' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
    AND NOT relispartition
  LIMIT 1;
  IF partition IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END
$$;

-- The first partition also takes everything older.
CREATE TABLE audit_events_first (LIKE audit_events INCLUDING ALL);
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events_first
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();
ALTER TABLE audit_events_first ENABLE ALWAYS TRIGGER audit_events_append_only;

DO $$
DECLARE
  next_month date := date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month';
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['create_audit_partition(date)', 'expire_audit_partition(date)', 'drop_expired_audit_partition()']
  LOOP
    -- pg_temp last: a caller must not replace a table of the function by a temporary one.
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
  END LOOP;

  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)',
    first_id_at(next_month::timestamp AT TIME ZONE 'UTC'));
  -- Maintenance adds further months. A year, because no change succeeds without a partition for its audit event.
  FOR ahead IN 0..11 LOOP
    PERFORM create_audit_partition((next_month + make_interval(months => ahead))::date);
  END LOOP;
END
$$;
