-- Up Migration

-- Whoever reads an agent with its scores can put it back as well: the evaluation counts. Not valid for what is there,
-- so that no row has to be read under the lock; every row that is written is checked.
ALTER TABLE agents
  DROP CONSTRAINT agent_fits_a_body,
  ADD CONSTRAINT agent_fits_a_body CHECK (
    octet_length(agent_name) + octet_length(model_name) + octet_length(hub) + coalesce(octet_length(agent_url), 0)
    + coalesce(octet_length(agent_system_prompt), 0) + coalesce(octet_length(purpose), 0)
    + coalesce(octet_length(agent_params::text), 0) + coalesce(octet_length(mcp_config::text), 0)
    + octet_length(delegated_agents::text) + coalesce(octet_length(white_box_config::text), 0)
    + coalesce(octet_length(agent_metadata::text), 0) + coalesce(octet_length(evaluated_harnesses::text), 0)
    + octet_length(import_metadata::text) + octet_length(capabilities::text) + octet_length(skills::text)
    + coalesce(octet_length(latest_evaluation::text), 0)
    <= 512 * 1024
  ) NOT VALID;
