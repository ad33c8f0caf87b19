-- Up Migration

ALTER TABLE agents
  -- The newest completed evaluation as it was reported, and the last revision at which a field changed that
  -- bears on behaviour: an evaluation of an older one no longer holds.
  ADD COLUMN latest_evaluation json,
  ADD COLUMN behaviour_revision bigint NOT NULL DEFAULT 1;

UPDATE agents a SET behaviour_revision = r.revision
FROM (
  SELECT team_id, agent_id, max(revision) AS revision
  FROM agent_revisions
  WHERE revision > 1 AND fields && ARRAY['model_name', 'agent_url', 'agent_system_prompt', 'agent_params',
    'mcp_config', 'delegated_agents', 'white_box_config', 'protocol', 'hub']
  GROUP BY team_id, agent_id
) r
WHERE a.team_id = r.team_id AND a.id = r.agent_id;

-- An agent is erased with its history. A statement that deleted both would miss the revision of a writer it had
-- waited for; the key looks again.
ALTER TABLE agent_revisions
  ADD FOREIGN KEY (team_id, agent_id) REFERENCES agents (team_id, id) ON DELETE CASCADE;

-- Which agent a creation with an Idempotency-Key made. It outlives the agent, so that a late retry does not
-- bring it back.
CREATE TABLE idempotency_keys (
  team_id uuid NOT NULL,
  key text NOT NULL,
  -- Keyed: the body may hold a secret, and a plain hash of a short one can be guessed.
  request_hash bytea NOT NULL,
  agent_id uuid NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (team_id, key)
);
