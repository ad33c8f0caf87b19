-- Up Migration

SET LOCAL lock_timeout = '100ms';

-- Public keys whose signatures of agent cards a team trusts, each for some origins.
CREATE TABLE card_keys (
  team_id uuid NOT NULL,
  kid text COLLATE "C" NOT NULL,
  algorithm text NOT NULL,
  public_key json NOT NULL,
  origins text[] NOT NULL,
  updated_at bigint NOT NULL,
  updated_by uuid NOT NULL,
  PRIMARY KEY (team_id, kid)
);

-- What happens to agent cards by their signatures. A team without a row has the default.
CREATE TABLE card_policies (
  team_id uuid PRIMARY KEY,
  signatures text NOT NULL,
  updated_at bigint NOT NULL,
  updated_by uuid NOT NULL
);
