-- Up Migration

-- How large an agent is, counted when it is written. A page of the list ends by it: to measure a large value when it is
-- read is to read it, and what it takes in the table says little, because it is compressed there.
-- Filling the column rewrites the table.
ALTER TABLE agents
  ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (
    octet_length(agent_name) + octet_length(model_name) + octet_length(hub) + coalesce(octet_length(agent_url), 0)
    + coalesce(octet_length(agent_system_prompt), 0) + coalesce(octet_length(purpose), 0)
    + coalesce(octet_length(agent_params::text), 0) + coalesce(octet_length(mcp_config::text), 0)
    + octet_length(delegated_agents::text) + coalesce(octet_length(white_box_config::text), 0)
    + coalesce(octet_length(agent_metadata::text), 0) + coalesce(octet_length(evaluated_harnesses::text), 0)
    + octet_length(import_metadata::text) + octet_length(capabilities::text) + octet_length(skills::text)
    + coalesce(octet_length(latest_evaluation::text), 0)
  ) STORED,
  DROP CONSTRAINT agent_fits_a_body,
  ADD CONSTRAINT agent_fits_a_body CHECK (bytes <= 512 * 1024) NOT VALID;
