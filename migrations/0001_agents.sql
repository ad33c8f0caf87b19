-- Up Migration

-- The key starts with the team, as the key of every table does: no request crosses teams, and a cluster
-- can shard by this column without a changed query.
CREATE TABLE agents (
  team_id uuid NOT NULL,
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

  -- json, not jsonb: it keeps what came, and 1e300 does not become 300 digits on the way out.
  agent_params json,
  mcp_config json,
  delegated_agents json NOT NULL,
  white_box_config json,
  agent_metadata json,
  evaluated_harnesses json,
  import_metadata json NOT NULL,
  capabilities json NOT NULL,
  skills json NOT NULL,

  -- A secret is three things: sealed, what everybody else sees of it, and what tells it from another.
  -- white_box_config holds the mask of its token in the token's place.
  api_key_sealed bytea,
  api_key_mask text,
  api_key_fingerprint bytea,
  github_token_sealed bytea,
  github_token_mask text,
  github_token_fingerprint bytea,

  -- With what a list filters by, so that it can walk agents in the order of creation without reading them.
  PRIMARY KEY (team_id, id) INCLUDE (agent_name, status, trust_stage, protection_status),

  -- Whoever reads an agent can put it back: it fits the body of a request, even with every quote and line end escaped.
  -- Only with a hundred thousand control characters, six bytes each in JSON, does it go back in parts as it came.
  CONSTRAINT agent_fits_a_body CHECK (
    octet_length(agent_name) + octet_length(model_name) + octet_length(hub) + coalesce(octet_length(agent_url), 0)
    + coalesce(octet_length(agent_system_prompt), 0) + coalesce(octet_length(purpose), 0)
    + coalesce(octet_length(agent_params::text), 0) + coalesce(octet_length(mcp_config::text), 0)
    + octet_length(delegated_agents::text) + coalesce(octet_length(white_box_config::text), 0)
    + coalesce(octet_length(agent_metadata::text), 0) + coalesce(octet_length(evaluated_harnesses::text), 0)
    + octet_length(import_metadata::text) + octet_length(capabilities::text) + octet_length(skills::text)
    <= 512 * 1024
  )
)
-- Room on each page for the next version of a row, so that an update need not touch the indexes.
WITH (fillfactor = 80);
