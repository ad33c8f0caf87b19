-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The graph of delegations: derived from delegated_agents, agent_url and import_metadata of agents by the statement that
-- changes them. A delegation stores what it names, not which agent that is: reads find the agent. So a change of an agent
-- never touches the delegations to it, however many there are.

-- One row for each entry of delegated_agents. The rows of a deleted agent stay until it is erased.
CREATE TABLE delegations (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  -- The index in delegated_agents, from 0 to 1000. Entries after that are not stored.
  position integer NOT NULL,
  -- What the entry names, for readers.
  label text,
  -- The id that the entry names; then it has no keys.
  target_id uuid,
  -- SHA-256 of the kind of URL and the URL in its normal form.
  card_key bytea,
  url_key bytea,
  -- False while the agent is deleted.
  is_live boolean NOT NULL DEFAULT true,
  PRIMARY KEY (team_id, agent_id, position)
);

CREATE INDEX delegations_by_target ON delegations (team_id, target_id, agent_id, position)
  WHERE target_id IS NOT NULL AND is_live;
CREATE INDEX delegations_by_card ON delegations (team_id, card_key, agent_id, position)
  WHERE card_key IS NOT NULL AND is_live;
CREATE INDEX delegations_by_url ON delegations (team_id, url_key, agent_id, position)
  WHERE url_key IS NOT NULL AND is_live;

-- The addresses of agents, past ones included: agent_url, and the URL of the card that an agent was imported from.
CREATE TABLE agent_addresses (
  team_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  is_card boolean NOT NULL,
  -- The revision that set the address, and its time.
  revision bigint NOT NULL,
  since_at bigint NOT NULL,
  -- The revision that replaced it, and its time; null: the agent still has it.
  until_revision bigint,
  until_at bigint,
  -- As in delegations.
  key bytea NOT NULL,
  is_live boolean NOT NULL DEFAULT true,
  PRIMARY KEY (team_id, agent_id, is_card, revision)
);

CREATE INDEX agent_addresses_by_key ON agent_addresses (team_id, key, agent_id)
  WHERE until_revision IS NULL AND is_live;
-- For reads of the past.
CREATE INDEX agent_addresses_by_any_key ON agent_addresses (team_id, key, agent_id, revision);

-- How far maintenance has come with the agents of earlier versions: one row. The second pass finds what a replica of the
-- version before changed after the first one.
CREATE TABLE delegation_backfill (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  passes_left integer NOT NULL,
  -- The next pass begins at this time.
  not_before bigint NOT NULL DEFAULT 0,
  -- The last agent that the pass has reached; null at its start.
  team_id uuid,
  agent_id uuid
);

INSERT INTO delegation_backfill (passes_left)
SELECT CASE WHEN EXISTS (SELECT FROM agents) OR EXISTS (SELECT FROM deleted_agents) THEN 2 ELSE 0 END;
