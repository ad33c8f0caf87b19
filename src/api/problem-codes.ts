/** Every error response of the console except 422. Codes are stable: clients branch on them. Each text says what is
 * wrong and what to do, except for 404 `Not Found` and 405 `Method Not Allowed`, whose texts the contract defines. */
export const PROBLEMS = {
  bad_request: {
    status: 400,
    detail: 'The request is not valid HTTP. Check its URL, its Host header and its Content-Length.',
  },
  unauthenticated: {
    status: 401,
    detail: 'The request has no usable token. Send exactly one header Authorization: Bearer <JWT>.',
  },
  invalid_token: { status: 401, detail: 'The token is not valid. Get a new one from the issuer.' },
  permission_missing: {
    status: 403,
    detail: 'The token lacks the permission that this operation needs. Use a token that has it.',
  },
  team_missing: {
    status: 403,
    detail: 'The token has no team. Use a token with a team, or ask the operator to check AUTH_CLAIM_TEAM.',
  },
  team_ambiguous: {
    status: 403,
    detail: 'The token has several teams. Name one of them in the header console-team.',
  },
  team_not_yours: {
    status: 403,
    detail: 'The header console-team names none of the teams of the token. Name one of them.',
  },
  user_missing: {
    status: 403,
    detail: 'The token has no user. Use a token with a user, or ask the operator to check AUTH_CLAIM_USER.',
  },
  not_found: { status: 404, detail: 'Not Found' },
  agent_not_found: { status: 404, detail: 'Your team has no agent with this id. Check the id.' },
  revision_not_found: {
    status: 404,
    detail: 'The agent has no such revision. List its revisions to find the right number.',
  },
  secret_not_found: {
    status: 404,
    detail: 'The agent has no secret of this name. List its secrets to find the right name.',
  },
  user_not_found: {
    status: 404,
    detail: 'The console has no name of a user of your team with this id. Check the id.',
  },
  view_not_found: {
    status: 404,
    detail: 'There is no view of this name in this scope. List the views to find the right name.',
  },
  managed_agent_not_found: {
    status: 404,
    detail: 'The configuration set has no agent of this key. List its agents to find the right key.',
  },
  method_not_allowed: { status: 405, detail: 'Method Not Allowed' },
  request_timeout: {
    status: 408,
    detail: 'The request did not arrive completely within the time limit. Send it again.',
  },
  idempotency_conflict: {
    status: 409,
    detail: 'This Idempotency-Key was already used with another body. Use a new key for a new request.',
  },
  idempotency_agent_deleted: {
    status: 409,
    detail:
      'The agent that was created with this Idempotency-Key has been deleted. Use a new key to create another agent.',
  },
  value_in_use: {
    status: 409,
    detail: 'The agent still has this value. Change the field first, then redact.',
  },
  secret_in_use: {
    status: 409,
    detail: 'A field of the agent refers to this secret. Remove the reference first.',
  },
  too_many_secrets: {
    status: 409,
    detail: 'The agent already has 20 named secrets. Delete one of them first.',
  },
  has_dependents: {
    status: 409,
    detail:
      'Agents at the trust stage in console-refuse-if-dependents or a later one delegate to this agent. List its ' +
      'dependents, or send the request without this header.',
  },
  too_many_views: {
    status: 409,
    detail: 'There are already 100 views in this scope. Delete one of them first.',
  },
  field_owned: {
    status: 409,
    detail: 'Another configuration set owns a field of the spec. Remove the field from one of the two sets.',
  },
  field_drifted: {
    status: 409,
    detail:
      'Another writer has changed fields since the set applied them, and the spec changes them too. Name them in ' +
      'force to overwrite them, or put their current values into the spec.',
  },
  agent_bound: {
    status: 409,
    detail:
      'The key belongs to another agent, or the set has the agent under another key. Release that agent first.',
  },
  too_many_sets: {
    status: 409,
    detail: 'The team already has 100 configuration sets. Release all agents of one of them first.',
  },
  set_full: {
    status: 409,
    detail: 'The configuration set already has 10,000 agents. Use another set.',
  },
  no_agent_card: {
    status: 409,
    detail:
      'There is no agent card for this agent. An agent with a card has the protocol a2a and an agent_url.',
  },
  no_card_url: {
    status: 409,
    detail: 'The agent was not imported from the URL of an agent card. Import the card by its URL first.',
  },
  match_count_differs: {
    status: 409,
    detail:
      'The filters match another number of agents than expected_count says. Nothing was changed. Send the request ' +
      'with dry_run to see which agents match.',
  },
  too_many_matches: {
    status: 409,
    detail:
      'The filters match more than 500 agents. Nothing was changed. Narrow the filters, or list the agents and send ' +
      'their ids in several requests.',
  },
  position_expired: {
    status: 410,
    detail:
      'The events after this Last-Event-ID are no longer stored, or belong to an earlier epoch. List the agents, ' +
      'then watch without Last-Event-ID.',
  },
  revision_stale: {
    status: 412,
    detail:
      'The agent has changed since the revision in If-Match. Read the agent again, then repeat the change.',
  },
  body_too_large: {
    status: 413,
    detail:
      'The body is larger than this operation accepts. Send a smaller one, or no body if the operation takes none.',
  },
  agent_too_large: {
    status: 413,
    detail: 'The fields of the agent together would exceed 512 KiB. Shorten one of them.',
  },
  too_many_requests: {
    status: 429,
    detail:
      'Your team already has its share of requests in progress. Nothing was changed. Wait as long as Retry-After ' +
      'says, then try again with fewer requests at a time.',
  },
  request_budget_exceeded: {
    status: 429,
    detail:
      'The services have sent the agent as many requests as its rate_limit_requests_per_minute allows at this ' +
      'priority. Wait as long as Retry-After says, then try again.',
  },
  headers_too_large: {
    status: 431,
    detail: 'The headers are larger than 16 KiB. Send fewer or shorter headers.',
  },
  /** Never sent and never logged: it stands for a call to an upstream whose client closed the connection. */
  client_disconnected: {
    status: 499,
    detail: 'The client closed the connection before the response was sent.',
  },
  internal: {
    status: 500,
    detail:
      'The console failed to process the request. Search its log for the id in the header x-request-id.',
  },
  upstream_failed: {
    status: 502,
    detail:
      'The service behind this operation failed or sent a response that the console cannot forward. Try again later.',
  },
  token_exchange_failed: {
    status: 502,
    detail:
      'The issuer made no token for the service behind this operation. Ask the operator of the console to check the ' +
      'token exchange: its log has the reason.',
  },
  card_unreachable: {
    status: 502,
    detail: 'The agent card could not be fetched. Check its URL, or try again later.',
  },
  card_unreadable: {
    status: 502,
    detail: 'The document at the URL of the agent card is no valid agent card. Nothing was changed.',
  },
  issuer_unavailable: {
    status: 503,
    detail: 'The token could not be verified because its issuer does not respond. Try again shortly.',
  },
  token_exchange_unavailable: {
    status: 503,
    detail:
      'The issuer does not respond, so there is no token for the service behind this operation. Try again shortly.',
  },
  database_unavailable: {
    status: 503,
    detail: 'The database is not available. Nothing was changed. Try again shortly.',
  },
  overloaded: {
    status: 503,
    detail: 'The console has more requests than it can handle. Nothing was changed. Try again shortly.',
  },
  agent_busy: {
    status: 503,
    detail: 'Another change of this agent is taking too long. Nothing was changed. Try again shortly.',
  },
  outcome_unknown: {
    status: 503,
    detail:
      'The database connection was lost while the change was being saved. To find out whether it was saved, read the ' +
      'agent, or repeat a creation, a bulk request or an import with the same Idempotency-Key.',
  },
  upstream_unavailable: {
    status: 503,
    detail: 'The service behind this operation is not available. Try again later.',
  },
  upstream_not_configured: {
    status: 503,
    detail:
      'This console has no evolution service. Do not retry: ask the operator of the console to set EVOLUTION_URL.',
  },
  events_unavailable: {
    status: 503,
    detail:
      'Events are not available at the moment. No event is lost: try again with the same Last-Event-ID.',
  },
  events_not_configured: {
    status: 503,
    detail:
      'This console delivers no events. A retry does not help: ask the operator of the console to set NATS_URL.',
  },
  upstream_timeout: {
    status: 504,
    detail:
      'The service behind this operation did not respond in time. It may still process the request: check before you ' +
      'repeat a change.',
  },
} as const satisfies Record<string, { status: number; detail: string }>

export type ProblemCode = keyof typeof PROBLEMS
