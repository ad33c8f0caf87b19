-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The agents of configuration sets. A set owns some fields of each of its agents, and a field has at most one owner: the transaction
-- that changes `fields` locks the agent first. The rows of a deleted agent stay until it is erased.
CREATE TABLE managed_agents (
  team_id uuid NOT NULL,
  set text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  agent_id uuid NOT NULL,
  -- The revision at which the owned fields had the values of the set.
  applied_revision bigint NOT NULL,
  fields text[] NOT NULL,
  -- The owned fields that another writer has changed since, each with the last revision that did. The statement that changes the
  -- agent writes it.
  drift jsonb NOT NULL DEFAULT '{}',
  applied_at bigint NOT NULL,
  applied_by uuid NOT NULL,
  PRIMARY KEY (team_id, set, key),
  UNIQUE (team_id, agent_id, set)
);

CREATE INDEX managed_agents_drifted ON managed_agents (team_id, set, key) WHERE drift <> '{}';

-- Grows when a set takes fields of the agent without a revision. A change of the agent that was read before then does not pass, so that
-- no drift is missed. 0: no set has ever owned the agent.
ALTER TABLE agents ADD COLUMN set_version integer NOT NULL DEFAULT 0;
ALTER TABLE deleted_agents ADD COLUMN set_version integer NOT NULL DEFAULT 0;
