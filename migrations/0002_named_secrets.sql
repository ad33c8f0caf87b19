-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The named secrets of an agent: name -> {mask, revision that set it}. Null if it has none.
ALTER TABLE agents ADD COLUMN named_secrets json;
ALTER TABLE deleted_agents ADD COLUMN named_secrets json;

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
