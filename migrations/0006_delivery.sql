-- Up Migration

ALTER TABLE outbox
  -- The order of delivery. It is given out under the lock of the agent's row, so that the events of one agent have the
  -- order of its revisions. Of different agents a smaller one may be committed later: nobody may remember how far
  -- they got, only take what is there.
  ADD COLUMN position bigint,
  ADD COLUMN written_at timestamptz NOT NULL DEFAULT clock_timestamp();

UPDATE outbox o SET position = ordered.position
FROM (
  SELECT team_id, aggregateid, revision,
    row_number() OVER (ORDER BY team_id, aggregateid, revision) AS position
  FROM outbox
) ordered
WHERE (o.team_id, o.aggregateid, o.revision) = (ordered.team_id, ordered.aggregateid, ordered.revision);

ALTER TABLE outbox
  ALTER COLUMN position SET NOT NULL,
  ALTER COLUMN position ADD GENERATED ALWAYS AS IDENTITY;

SELECT setval(pg_get_serial_sequence('outbox', 'position'), (SELECT coalesce(max(position), 0) + 1 FROM outbox), false);

CREATE UNIQUE INDEX outbox_in_order ON outbox (position);

-- Every row is deleted soon after it was written. A share of the table says nothing about how much of that is left.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
