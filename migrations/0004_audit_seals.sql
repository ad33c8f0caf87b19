-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- A seal covers the audit events of all teams with an id from the end of the seal before it up to its own end. Seals are
-- kept for ever: each contains the hash of the one before.
CREATE TABLE audit_seals (
  number bigint PRIMARY KEY,
  -- The first id that is not covered.
  end_id uuid NOT NULL UNIQUE,
  -- A JSON Web Signature over what the seal covers.
  seal text NOT NULL
);

-- What a seal covers of one team: a hash of the audit events up to the last one, and of the checkpoint before. A team with
-- many events has several in one seal.
CREATE TABLE audit_checkpoints (
  team_id uuid NOT NULL,
  last_id uuid NOT NULL,
  seal bigint NOT NULL,
  records integer NOT NULL,
  -- Null in the first checkpoint of the team.
  previous bytea,
  hash bytea NOT NULL,
  PRIMARY KEY (team_id, last_id)
);

CREATE UNIQUE INDEX audit_checkpoints_of_seal ON audit_checkpoints (seal, team_id, last_id);

-- The seal that is being made: one row. Nothing relies on it to find a change.
CREATE TABLE audit_sealing (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  -- Null between two seals.
  end_id uuid,
  -- The events before this one, in the order of team and id, have checkpoints.
  next_team uuid,
  next_id uuid
);

INSERT INTO audit_sealing DEFAULT VALUES;

CREATE FUNCTION refuse_to_change_seals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_seals();
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_append_only;

-- The retention deletes checkpoints, as the owner.
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR TRUNCATE ON audit_checkpoints
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_seals();
ALTER TABLE audit_checkpoints ENABLE ALWAYS TRIGGER audit_checkpoints_append_only;

-- The bounds of each partition of the audit log; null for the lower bound of the first.
CREATE VIEW audit_partitions AS
SELECT relname AS name,
  substring(pg_get_expr(relpartbound, oid) FROM $pattern$FROM \('([0-9a-f-]+)'\)$pattern$)::uuid AS first_id,
  substring(pg_get_expr(relpartbound, oid) FROM $pattern$TO \('([0-9a-f-]+)'\)$pattern$)::uuid AS end_id
FROM pg_inherits JOIN pg_class ON oid = inhrelid
WHERE inhparent = 'audit_events'::regclass;

-- Deletes up to 5,000 checkpoints of months whose partitions the retention has dropped, and returns whether there were any.
-- Runs as its owner: the role of the console may not delete checkpoints.
CREATE FUNCTION delete_expired_audit_checkpoints() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_events'));
  DELETE FROM audit_checkpoints WHERE (team_id, last_id) IN (
    SELECT team_id, last_id FROM audit_checkpoints
    WHERE seal <= (
      SELECT number FROM audit_seals
      WHERE end_id <= (SELECT first_id FROM audit_partitions ORDER BY end_id LIMIT 1)
      ORDER BY end_id DESC LIMIT 1
    )
    ORDER BY seal LIMIT 5000
  );
  RETURN FOUND;
END
$$;

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION delete_expired_audit_checkpoints() SET search_path = %I, pg_temp', current_schema());
  REVOKE EXECUTE ON FUNCTION delete_expired_audit_checkpoints() FROM PUBLIC;
END
$$;

-- A role that does not own the table can add only records of the present: an id of an earlier time may belong to a seal that
-- exists already. The limit leaves time for a request that waits. The names of functions are resolved here and not by the search
-- path of the writer. The expression is part of every change, and PostgreSQL prepares it twice for each, so it has few functions:
-- it compares bytes (an id begins with 48 bits of milliseconds), and whether the time of the record agrees with its id is
-- checked by audit:verify.
ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_events_read ON audit_events FOR SELECT USING (true);
CREATE POLICY audit_events_of_the_present ON audit_events FOR INSERT WITH CHECK (
  uuid_send(id) >= int8send(((date_part('epoch', clock_timestamp()) - 120) * (1000 * 65536))::bigint)
);
