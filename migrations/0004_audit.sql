-- Up Migration

-- Who did what: every write, every secret shown, every refusal. It names fields and never holds a value.
CREATE TABLE audit_events (
  team_id uuid NOT NULL,
  -- Version 7: the order of the key is the order of time.
  id uuid NOT NULL,
  at bigint NOT NULL,
  user_id uuid NOT NULL,
  action text NOT NULL,
  agent_id uuid,
  request_id text NOT NULL,
  detail json NOT NULL,
  PRIMARY KEY (team_id, id)
);

CREATE INDEX audit_events_of_agent ON audit_events (team_id, agent_id, id) WHERE agent_id IS NOT NULL;

CREATE FUNCTION refuse_to_rewrite_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

-- For the statement, so that one that would touch no row is refused as well.
CREATE TRIGGER audit_events_append_only
BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_audit();

-- Whoever asks: an ordinary trigger rests while session_replication_role is replica.
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_append_only;
