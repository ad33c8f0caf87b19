-- Up Migration

SET LOCAL lock_timeout = '100ms';

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
