-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The display names of users, as their tokens have them. Revisions and audit events store only the id of a user, so that a name
-- that is erased here is gone everywhere.
CREATE TABLE users (
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (team_id, user_id)
);

ALTER TABLE audit_events
  -- The interface that the user used.
  ADD COLUMN via text NOT NULL DEFAULT 'api',
  -- The application that the token was issued to. Null if the token does not say it.
  ADD COLUMN client_id text;

-- The events of a team between two ids that match every filter that is not null, in the order of their ids. It examines at most
-- `depth` events; if it stops there, a last row that is no match has the id where to continue. A function, because the planner must
-- read the partitions in order by their indexes: for an agent of which it expects few events it would read and sort all of
-- them. It replaces list_audit_events, which the version before uses.
CREATE FUNCTION search_audit_events(
  team uuid, after_id uuid, before_id uuid, is_ascending boolean, size integer, depth integer,
  for_agent uuid, by_user uuid, with_action text, with_field text, with_via text, by_client text, since bigint, until bigint
) RETURNS TABLE (is_match boolean, event audit_events)
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  examined record;
  examined_count integer := 0;
  match_count integer := 0;
BEGIN
  FOR examined IN EXECUTE format(
    'SELECT e AS event, (($6 IS NULL OR user_id = $6) AND ($7 IS NULL OR action = $7) AND ($8 IS NULL OR via = $8) '
    'AND ($9 IS NULL OR client_id = $9) AND ($10 IS NULL OR at >= $10) AND ($11 IS NULL OR at < $11) '
    'AND ($12 IS NULL OR CASE json_typeof(detail -> ''fields'') WHEN ''array'' '
    'THEN $12 IN (SELECT json_array_elements_text(detail -> ''fields'')) END)) IS TRUE AS is_match '
    'FROM audit_events e WHERE team_id = $1 AND id > $2 AND id < $3 %s ORDER BY id %s LIMIT $4',
    CASE WHEN for_agent IS NOT NULL THEN 'AND agent_id = $5' END, CASE WHEN is_ascending THEN 'ASC' ELSE 'DESC' END)
  USING team, after_id, before_id, depth, for_agent, by_user, with_action, with_via, by_client, since, until, with_field
  LOOP
    examined_count := examined_count + 1;
    CONTINUE WHEN NOT examined.is_match;
    match_count := match_count + 1;
    is_match := true;
    event := examined.event;
    RETURN NEXT;
    EXIT WHEN match_count = size;
  END LOOP;
  IF examined_count = depth AND match_count < size THEN
    is_match := false;
    event := examined.event;
    RETURN NEXT;
  END IF;
END
$$;
