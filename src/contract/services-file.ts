import { type Static, Type } from 'typebox'
import { integer, oneOf } from './fields.ts'
import { PRIORITIES } from './request-budget.ts'

/** What a service gets as a token. There is no default: the choice decides what a compromised service can do. */
const SERVICE_TOKENS = ['assert', 'exchange', 'pass'] as const

/** A scope token of OAuth (RFC 6749 section 3.3). */
const permission = (which: string) =>
  Type.String({
    maxLength: 128,
    pattern: '^[!#-\\[\\]-~]+$',
    description: `the name of a permission that ${which}, without spaces, quotes and backslashes`,
  })

/** The content of `SERVICES_FILE`. A description completes the sentence "must be …" of an error message. */
export const ServiceEntry = Type.Object(
  {
    name: Type.String({
      maxLength: 40,
      pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
      description: 'at most 40 lower-case letters and digits, in words joined by hyphens',
    }),
    tag: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[^\\p{C}]+$',
      description: 'a text of 1 to 64 characters without control characters',
    }),
    url: Type.String({ description: 'a URL' }),
    token: oneOf(SERVICE_TOKENS, {
      description:
        'one of assert (the service gets a token of a minute that the console signs for it alone), exchange (a token that the ' +
        "issuer makes for it, RFC 8693) and pass (the caller's own token, with which it can do at the console what the caller can)",
    }),
    audience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'the audience of the tokens for the service, a text; without it, the name of the service',
      }),
    ),
    insecure_http: Type.Optional(Type.Boolean({ description: 'true or false' })),
    read_permission: Type.Optional(permission('GET, HEAD and OPTIONS need')),
    write_permission: Type.Optional(permission('all other methods need')),
    budget_priority: Type.Optional(oneOf(PRIORITIES, { description: `one of ${PRIORITIES.join(', ')}` })),
    document: Type.Optional(
      Type.String({ minLength: 1, description: 'a URL, or a path under `url`; without it, /openapi.json' }),
    ),
    prefixes: Type.Array(
      Type.String({
        pattern: '^(/(?!\\.{1,2}(/|$))([\\w.~-]+|\\{\\w+\\}))+$',
        description: 'a path such as /v1/teams or /v1/teams/{team_id}/members',
      }),
      { minItems: 1, description: 'a list of at least one path' },
    ),
    deadline_ms: Type.Optional(
      integer({ minimum: 1, maximum: 600_000, description: 'a whole number from 1 to 600000' }),
    ),
    max_in_flight: Type.Optional(
      integer({ minimum: 1, maximum: 4_096, description: 'a whole number from 1 to 4096' }),
    ),
    max_request_bytes: Type.Optional(integer({ minimum: 0, description: 'a whole number of bytes' })),
    max_response_bytes: Type.Optional(integer({ minimum: 0, description: 'a whole number of bytes' })),
    poll_seconds: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: 86_400, description: 'a number from 0.1 to 86400' }),
    ),
  },
  { additionalProperties: false, description: 'an object' },
)
export type ServiceEntry = Static<typeof ServiceEntry>

export const ServicesFile = Type.Object(
  { services: Type.Array(ServiceEntry, { description: 'a list' }) },
  { additionalProperties: false, description: 'an object with the list `services`' },
)
export type ServicesFile = Static<typeof ServicesFile>
