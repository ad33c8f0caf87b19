-- Up Migration

-- No request crosses teams, so every key and every unique index starts with team_id: a team can move to another
-- database without a changed statement.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Agents ---------------------------------------------------------------------------------------------------------------

CREATE TABLE agents (
  team_id uuid NOT NULL,
  -- A UUID version 7 made at created_at: the order of ids is the order of creation.
  id uuid NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  created_by uuid NOT NULL,
  -- Times are in seconds since 1970.
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

  -- The newest completed evaluation, and the last revision that changed how the agent behaves. An evaluation of an
  -- older revision is outdated.
  latest_evaluation json,
  behaviour_revision bigint NOT NULL DEFAULT 1,

  -- The size of the fields, computed by the console. A list page ends by it without reading large values.
  bytes integer NOT NULL,

  -- Includes the filter columns of the list, so that a list in creation order reads only the index.
  PRIMARY KEY (team_id, id) INCLUDE (agent_name, status, trust_stage, protection_status)
)
-- Leaves room on each page for the next version of a row, so that an update does not touch the indexes.
WITH (fillfactor = 80);

-- For each combination of filter values, the agents in the order of each sort. Names are compared byte by byte, an order
-- that no upgrade of a collation library changes.
CREATE INDEX agents_by_filters_and_creation ON agents (team_id, status, trust_stage, protection_status, id);
CREATE INDEX agents_by_filters_and_name
  ON agents (team_id, status, trust_stage, protection_status, agent_name COLLATE "C", id);
-- For a search that matches most names: scan in order until the page is full.
CREATE INDEX agents_by_name
  ON agents (team_id, agent_name COLLATE "C", id) INCLUDE (status, trust_stage, protection_status);
-- For a search that matches few names. With fastupdate, one update in a few thousand would wait 0.1 s for the index.
CREATE INDEX agents_by_name_part ON agents USING gin (team_id, lower(agent_name) gin_trgm_ops) WITH (fastupdate = off);

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

-- History --------------------------------------------------------------------------------------------------------------

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

-- Events ---------------------------------------------------------------------------------------------------------------

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
  -- The JetStream stream, by its creation in milliseconds since 1970, and the last sequence that the relay stored in it.
  stream_created_at bigint,
  last_sequence bigint NOT NULL DEFAULT 0,
  -- Since when delivery has stopped because the stream holds events that this database does not have.
  diverged_at timestamptz
);

INSERT INTO event_delivery DEFAULT VALUES;

-- Idempotency ----------------------------------------------------------------------------------------------------------

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

-- Audit ----------------------------------------------------------------------------------------------------------------

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
  detail json NOT NULL,
  PRIMARY KEY (team_id, id)
) PARTITION BY RANGE (id);

CREATE INDEX audit_events_of_agent ON audit_events (team_id, agent_id, id) WHERE agent_id IS NOT NULL;

CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

-- A statement trigger, so that a statement that would change no row is refused too. ALWAYS: an ordinary trigger does not
-- fire while session_replication_role is replica.
CREATE TRIGGER audit_events_append_only
BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_append_only;

-- The smallest UUID version 7 of a time.
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The events of a team, or of one of its agents, that are older than an id; newest first. A function, because the planner
-- must read the partitions in order by their indexes: for an agent of which it expects few events it would read and sort
-- all of them.
CREATE FUNCTION list_audit_events(team uuid, agent uuid, before uuid, size integer) RETURNS SETOF audit_events
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  IF agent IS NULL THEN
    RETURN QUERY SELECT * FROM audit_events WHERE team_id = team AND id < before ORDER BY id DESC LIMIT size;
  ELSE
    RETURN QUERY SELECT * FROM audit_events WHERE team_id = team AND agent_id = agent AND id < before
    ORDER BY id DESC LIMIT size;
  END IF;
END
$$;

-- The next functions run as their owner, so that the role of the console needs no right to change tables. Each is called as
-- a statement of its own: its locks end with it, even if the caller hangs. Callers try again after a lock timeout.

-- Creates the partition of a month, unless it exists. Statement triggers are not inherited, so each partition has its own.
-- ATTACH does not block writes.
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

-- Detaches the oldest partition if all its records are older than a month, and returns whether it did. A write waits for at
-- most the lock timeout: the lock on the partition is taken without waiting, before the one on the whole table.
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
