-- Up Migration

SET LOCAL lock_timeout = '100ms';

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

-- The changes that a bulk request has made. The statement that changes the agent inserts the row, so that a repetition finds out
-- which agents are done.
CREATE TABLE bulk_changes (
  team_id uuid NOT NULL,
  bulk_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  revision bigint NOT NULL,
  fields text[] NOT NULL,
  PRIMARY KEY (team_id, bulk_id, agent_id)
);
