-- Up Migration

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- An id is a UUID version 7 made at created_at, so the order of ids is the order of creation, and needs no column
-- of its own. Behind the three filters, whatever their values, agents stand in the order of each sort: a page
-- merges the heads of a few runs, in a team of any size. Names are compared byte by byte: an order that no
-- upgrade of a collation library can change.
CREATE INDEX agents_by_filters_and_creation ON agents (team_id, status, trust_stage, protection_status, id);
CREATE INDEX agents_by_filters_and_name
  ON agents (team_id, status, trust_stage, protection_status, agent_name COLLATE "C", id);
-- For a search that most names match: walk them in order until the page is full.
CREATE INDEX agents_by_name
  ON agents (team_id, agent_name COLLATE "C", id) INCLUDE (status, trust_stage, protection_status);
-- For a search that few names match.
CREATE INDEX agents_by_name_part ON agents USING gin (team_id, lower(agent_name) gin_trgm_ops);
