-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- The same values as before, for the same index. PostgreSQL plans the query of an SQL function again for each change, but keeps
-- the plans of a PL/pgSQL function: 10 instead of 150 µs.
CREATE OR REPLACE FUNCTION filter_values(team_id uuid, flags integer, hub text, facts text) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE COST 10000 AS $$
DECLARE
  seed bigint := uuid_hash_extended(team_id, 0);
  hashes bigint[] := ARRAY[hashtextextended(hub COLLATE "C", seed)];
BEGIN
  FOR bit IN 0..30 LOOP
    IF flags & (1 << bit) <> 0 THEN
      hashes := hashes || hashtextextended(bit::text COLLATE "C", seed);
    END IF;
  END LOOP;
  FOR start IN 9..length(facts) BY 8 LOOP
    hashes := hashes || hashtextextended(substr(facts, start, 8) COLLATE "C", seed);
  END LOOP;
  RETURN hashes;
END
$$;
