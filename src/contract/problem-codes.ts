/** Every error the console answers, but for a 422. A code is stable: clients decide by it. */
export const PROBLEMS = {
  bad_request: { status: 400, detail: 'The request could not be read as HTTP.' },
  unauthenticated: { status: 401, detail: 'Send a token: Authorization: Bearer <JWT>.' },
  invalid_token: { status: 401, detail: 'The token is not valid.' },
  permission_missing: {
    status: 403,
    detail: 'The token does not carry the permission this operation needs.',
  },
  team_missing: { status: 403, detail: 'The token names no team.' },
  not_found: { status: 404, detail: 'Not Found' },
  agent_not_found: { status: 404, detail: 'There is no agent with this id.' },
  revision_not_found: { status: 404, detail: 'The agent has no such revision.' },
  method_not_allowed: { status: 405, detail: 'Method Not Allowed' },
  request_timeout: { status: 408, detail: 'The request did not arrive in time.' },
  idempotency_conflict: {
    status: 409,
    detail: 'This Idempotency-Key was used for another request. Choose a new one for a new request.',
  },
  position_expired: {
    status: 410,
    detail:
      'Events after this Last-Event-ID are no longer kept. List the agents again, then watch without a Last-Event-ID.',
  },
  revision_stale: {
    status: 412,
    detail:
      'The agent has changed since the revision named by If-Match. Read it again, then repeat the change.',
  },
  body_too_large: { status: 413, detail: 'The body is larger than this operation accepts.' },
  agent_too_large: {
    status: 413,
    detail: 'The agent would be larger than 512 KiB, all its fields together. Shorten one of them.',
  },
  headers_too_large: { status: 431, detail: 'The headers are larger than this server accepts.' },
  /** Never read by anybody: it is what the log calls a request whose caller left (as nginx does). */
  caller_gone: { status: 499, detail: 'The caller left before the answer was there.' },
  internal: {
    status: 500,
    detail: 'Something failed here. The request id in x-request-id finds the cause in the log.',
  },
  upstream_failed: {
    status: 502,
    detail: 'The service behind this operation failed, or answered something that cannot be passed on.',
  },
  issuer_unavailable: {
    status: 503,
    detail: 'The token could not be checked: its issuer does not answer. Try again shortly.',
  },
  database_unavailable: {
    status: 503,
    detail: 'The database does not answer. Nothing was changed; try again.',
  },
  outcome_unknown: {
    status: 503,
    detail:
      'The connection to the database was lost while the change was being saved. It may or may not have been: ' +
      'read the agent to find out.',
  },
  upstream_unavailable: {
    status: 503,
    detail: 'The service behind this operation is not there at the moment. Try again shortly.',
  },
  events_unavailable: {
    status: 503,
    detail: 'Events cannot be read at the moment. Nothing is lost: try again with the same Last-Event-ID.',
  },
  upstream_timeout: {
    status: 504,
    detail: 'The service behind this operation did not answer in time. It may still carry the request out.',
  },
} as const satisfies Record<string, { status: number; detail: string }>

export type ProblemCode = keyof typeof PROBLEMS
