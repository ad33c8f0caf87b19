-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- One narrow row for each agent: what the list filters and sorts by, and what the facets count. Each index holds everything
-- that the filters need, so a page, a count or the facets read neighbouring index pages, not the wide rows of agents.
CREATE TABLE agent_filters (
  team_id uuid NOT NULL,
  id uuid NOT NULL,
  -- One bit for each value of each field that has few values. A row matches the filters on all these fields if it has none of
  -- the bits that they exclude.
  flags integer NOT NULL,
  -- The overall score of the latest evaluation; -Infinity if there is none.
  score double precision NOT NULL,
  -- The hub, as filter_key() makes it. Texts of any length would not fit into an index.
  hub text COLLATE "C" NOT NULL,
  -- What the facets count: the number of tags in two bytes, the flags in four, then the model and the tags in six each, in base64
  -- without padding. The console reads the facts of many agents as one text, which PostgreSQL returns faster than bytes.
  facts text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- In lower case, for a search.
  search_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (team_id, id) INCLUDE (flags, score, hub, facts, search_name)
)
-- An index-only scan must read the row of each entry whose page was changed since the last vacuum.
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE INDEX agent_filters_by_name ON agent_filters (team_id, name, id) INCLUDE (flags, score, hub, facts, search_name);
CREATE INDEX agent_filters_by_score ON agent_filters (team_id, score, id) INCLUDE (flags, hub, facts, search_name);

-- Everything that an agent can be found by: the numbers of its flags, its hub, its model and its tags, each with its team. A value
-- that few agents of the team have is found without reading all of them. Calls only functions of PostgreSQL: an index is built
-- with no other schema on its search path. The cost makes PostgreSQL look a value up rather than compute those of every agent; not
-- by several processes, which would take longer to start.
CREATE FUNCTION filter_values(team_id uuid, flags integer, hub text, facts text) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL UNSAFE COST 10000 AS $$
  SELECT ARRAY(
    SELECT hashtextextended(value COLLATE "C", uuid_hash_extended(team_id, 0)) FROM (
      SELECT bit::text AS value FROM generate_series(0, 30) AS bit WHERE flags & (1 << bit) <> 0
      UNION ALL SELECT hub
      UNION ALL SELECT substr(facts, start, 8) FROM generate_series(9, length(facts), 8) AS start
    ) each_value
  )
$$;

-- Without a list of pending entries: the change that fills it up would wait until all are inserted.
CREATE INDEX agent_filters_by_value ON agent_filters USING gin (filter_values(team_id, flags, hub, facts))
WITH (fastupdate = off);

-- The first 48 bits of the SHA-256 of a value, in base64. With the name of its field: the same text can be a model and a tag.
CREATE FUNCTION filter_key(field text, value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT encode(substr(sha256(convert_to(field || ':' || value, 'UTF8')), 1, 6), 'base64')
$$;

-- The row of an agent. The console has the same lists, each with its first bit. A new value of a field gets bit 25 or the next
-- that is free. SETOF, so that PostgreSQL inlines the function and reads only the columns that it needs.
CREATE FUNCTION filter_row(agent agents) RETURNS SETOF agent_filters LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT agent.team_id, agent.id, flags, score, filter_key('hub', agent.hub),
    encode(int2send(cardinality(tags)::smallint) || int4send(flags), 'base64') || filter_key('model', agent.model_name)
      || array_to_string(tags, ''),
    agent.agent_name,
    lower(agent.agent_name)
  FROM (
    SELECT coalesce(1 << array_position(ARRAY[
        'draft', 'creating', 'active', 'under_review', 'deprecated', 'archived', 'pending', 'rejected'
      ], agent.status) - 1, 0)
      | coalesce(1 << 7 + array_position(ARRAY[
        'registered', 'tested', 'hardened', 'trusted', 'optimized', 'adapted'
      ], agent.trust_stage), 0)
      | coalesce(1 << 13 + array_position(ARRAY['unprotected', 'configured', 'guarded'], agent.protection_status), 0)
      | coalesce(1 << 16 + array_position(ARRAY['black_box', 'grey_box', 'white_box'], agent.access_level), 0)
      | coalesce(1 << 19 + array_position(ARRAY['chat_completions', 'a2a'], agent.protocol), 0)
      | CASE
        WHEN agent.latest_evaluation IS NULL THEN 1 << 24
        WHEN (agent.latest_evaluation ->> 'revision')::bigint >= agent.behaviour_revision THEN 1 << 22
        ELSE 1 << 23
      END AS flags,
      coalesce((agent.latest_evaluation ->> 'overall_score')::double precision, '-Infinity') AS score,
      CASE WHEN json_typeof(agent.agent_metadata -> 'tags') = 'array' THEN ARRAY(
        SELECT DISTINCT filter_key('tag', tag) FROM (
          SELECT tag FROM json_array_elements_text(agent.agent_metadata -> 'tags') AS tag LIMIT 50
        ) first_tags
        WHERE tag IS NOT NULL
      ) ELSE '{}' END AS tags
    -- Without it PostgreSQL inserts these expressions wherever they are used, and computes flags and tags twice.
    OFFSET 0
  ) computed
$$;

-- Runs as its owner, like fill_agent_filters(): the role of the console only reads the table.
CREATE FUNCTION keep_agent_filters() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    -- Waits for fill_agent_filters(), which could otherwise insert the row after this.
    PERFORM pg_advisory_xact_lock_shared(hashtext('agent_filters'));
    DELETE FROM agent_filters WHERE team_id = OLD.team_id AND id = OLD.id;
  ELSE
    INSERT INTO agent_filters SELECT * FROM filter_row(NEW)
    ON CONFLICT (team_id, id) DO UPDATE
    SET flags = excluded.flags, score = excluded.score, hub = excluded.hub, facts = excluded.facts, name = excluded.name,
      search_name = excluded.search_name
    WHERE (agent_filters.score, agent_filters.hub, agent_filters.facts, agent_filters.name)
      IS DISTINCT FROM (excluded.score, excluded.hub, excluded.facts, excluded.name);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER agent_filters_of_new AFTER INSERT OR DELETE ON agents
FOR EACH ROW EXECUTE FUNCTION keep_agent_filters();

-- Other changes, such as those of a prompt without an evaluation, do not call the function.
CREATE TRIGGER agent_filters_of_changed
AFTER UPDATE OF status, trust_stage, protection_status, access_level, protocol, model_name, hub, agent_name, agent_metadata,
  latest_evaluation, behaviour_revision
ON agents FOR EACH ROW
WHEN (
  (OLD.status, OLD.trust_stage, OLD.protection_status, OLD.access_level, OLD.protocol, OLD.model_name, OLD.hub,
    OLD.agent_name, OLD.agent_metadata::text, OLD.latest_evaluation::text)
  IS DISTINCT FROM (NEW.status, NEW.trust_stage, NEW.protection_status, NEW.access_level, NEW.protocol, NEW.model_name,
    NEW.hub, NEW.agent_name, NEW.agent_metadata::text, NEW.latest_evaluation::text)
  OR (NEW.latest_evaluation IS NOT NULL AND OLD.behaviour_revision <> NEW.behaviour_revision)
)
EXECUTE FUNCTION keep_agent_filters();

-- How far the agents from before this migration have a row: one row. Maintenance fills the rest.
CREATE TABLE agent_filters_progress (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  -- The last agent that is done.
  team_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  is_done boolean NOT NULL
);

-- The triggers exist and no write is open, so an agent that is not here now gets its row from them.
INSERT INTO agent_filters_progress (is_done) SELECT NOT EXISTS (SELECT FROM agents);

-- Adds the rows of the next agents, and returns whether there are more. A row that exists stays: a trigger wrote it later.
CREATE FUNCTION fill_agent_filters(batch integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  done agent_filters_progress;
  last_team uuid;
  last_id uuid;
  has_more boolean;
BEGIN
  SELECT * INTO done FROM agent_filters_progress FOR UPDATE;
  IF done.is_done THEN
    RETURN false;
  END IF;
  -- The statements after it see all deletions that have begun; others wait.
  PERFORM pg_advisory_xact_lock(hashtext('agent_filters'));
  SELECT team_id, id INTO last_team, last_id FROM agents
  WHERE (team_id, id) > (done.team_id, done.id)
  ORDER BY team_id, id
  OFFSET batch - 1
  LIMIT 1;
  has_more := FOUND;
  IF NOT has_more THEN
    last_team := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    last_id := last_team;
  END IF;
  INSERT INTO agent_filters SELECT filters.* FROM agents, filter_row(agents) AS filters
  WHERE (agents.team_id, agents.id) > (done.team_id, done.id) AND (agents.team_id, agents.id) <= (last_team, last_id)
  ON CONFLICT DO NOTHING;
  UPDATE agent_filters_progress SET team_id = last_team, id = last_id, is_done = NOT has_more;
  RETURN has_more;
END
$$;

DO $$
DECLARE
  reader text;
BEGIN
  -- pg_temp last: a caller must not replace a table of the function by a temporary one.
  EXECUTE format('ALTER FUNCTION keep_agent_filters() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION fill_agent_filters(integer) SET search_path = %I, pg_temp', current_schema());
  REVOKE EXECUTE ON FUNCTION keep_agent_filters(), fill_agent_filters(integer) FROM PUBLIC;

  -- The roles that read agents can use its filters, so that an upgrade needs no new grants.
  FOR reader IN
    SELECT rolname FROM pg_class, aclexplode(relacl) AS acl JOIN pg_roles ON pg_roles.oid = acl.grantee
    WHERE pg_class.oid = 'agents'::regclass AND privilege_type = 'SELECT'
  LOOP
    EXECUTE format('GRANT SELECT ON agent_filters, agent_filters_progress TO %I', reader);
    EXECUTE format('GRANT EXECUTE ON FUNCTION fill_agent_filters(integer) TO %I', reader);
  END LOOP;
END
$$;
