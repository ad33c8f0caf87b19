-- Up Migration
-- No transaction

SET lock_timeout = '10min';

DROP INDEX CONCURRENTLY IF EXISTS agents_by_sample_column;
CREATE INDEX CONCURRENTLY agents_by_sample_column ON agents (team_id, sample_column, id);
