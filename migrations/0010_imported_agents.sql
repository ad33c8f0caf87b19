-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The external keys of imported agents: what makes a second import update the agents of the first. The statement that creates the
-- agent inserts the row; the row outlives the deletion of the agent and is erased with it.
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
