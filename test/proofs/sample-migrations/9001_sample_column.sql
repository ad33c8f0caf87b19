-- Up Migration

SET lock_timeout = '100ms';

ALTER TABLE agents ADD COLUMN sample_column text;
ALTER TABLE deleted_agents ADD COLUMN sample_column text;
