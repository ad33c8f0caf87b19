-- Up Migration

-- What each change of an agent was: enough to undo it, and no more. A renamed agent does not copy its prompt.
CREATE TABLE agent_revisions (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by uuid NOT NULL,
  action text NOT NULL,
  fields text[] NOT NULL,
  -- The values of those fields before the change. Of a secret only its mask.
  before json NOT NULL,
  -- The revision that was brought back, where the action was to restore one.
  restored_revision bigint,
  reason text,
  PRIMARY KEY (team_id, agent_id, revision)
);

-- One event for each revision, written with it, until it is delivered. The columns are those that a CDC outbox
-- router expects.
CREATE TABLE outbox (
  team_id uuid NOT NULL,
  aggregateid uuid NOT NULL,
  revision bigint NOT NULL,
  aggregatetype text NOT NULL DEFAULT 'agent',
  -- The deduplication key of the message.
  id text NOT NULL,
  type text NOT NULL,
  payload json NOT NULL,
  PRIMARY KEY (team_id, aggregateid, revision)
);
