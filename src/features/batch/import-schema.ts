import { type Static, Type } from 'typebox'
import { ORIGIN_SCHEMAS, SETTABLE_SCHEMAS } from '../../agent/fields.ts'
import {
  described,
  FreeFormObject,
  integer,
  nullable,
  oneOf,
  optionalNullable,
  ref,
  Uuid,
} from '../../api/fields.ts'
import { ValidationError } from '../../api/problem.ts'
import { idempotencyKeyHeader, RESULT_CODES } from './bulk-schema.ts'

export const MAX_IMPORT_ROWS = 1_000

/** 1,000 rows of 4 KB. Its bytes count towards the memory that a team may use for requests. */
export const MAX_IMPORT_BYTES = 4 * 1024 * 1024

export const MAX_EXTERNAL_KEY_LENGTH = 512

const EXTERNAL_KEY =
  'Identity of the agent across imports, unique in the team, such as its id in another system. 1 to 512 ' +
  'characters. The id of an agent of the team also identifies that agent.'

const externalKey = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_EXTERNAL_KEY_LENGTH, description })

const EXPECTED_REVISION = optionalNullable({
  expected_revision: integer({
    minimum: 0,
    description:
      'The `revision` in the result of a dry run; 0 stands for no agent. If the agent is at another one, the row ' +
      'is a `conflict`. Default: any revision.',
  }),
})

export const AgentImportRow = Type.Object(
  {
    external_key: Type.Optional(
      externalKey(`${EXTERNAL_KEY} Required, except in a line of an export, whose \`id\` is used instead.`),
    ),
    ...EXPECTED_REVISION,
    ...optionalNullable(SETTABLE_SCHEMAS),
    ...optionalNullable(ORIGIN_SCHEMAS),
  },
  {
    $id: 'AgentImportRow',
    description:
      'An agent of an import. A new agent needs `agent_name` and `model_name`. For an agent that was imported ' +
      'before, each supplied field replaces the field of the agent, as in an update, and an absent one keeps its ' +
      'value; so does `github_token` in `white_box_config`. Other members are ignored, and a warning names them. ' +
      'A line of an export is a row.',
    examples: [
      { external_key: 'crm/4711', agent_name: 'Billing assistant', model_name: 'gpt-5.2', status: 'draft' },
    ],
  },
)
export type AgentImportRow = Static<typeof AgentImportRow>

const SOURCE = 'Send one of `rows`, `card` and `card_url`.'

export const AgentImport = Type.Object(
  {
    rows: Type.Optional(
      Type.Array(ref(AgentImportRow), {
        minItems: 1,
        maxItems: MAX_IMPORT_ROWS,
        description: `The agents, 1 to 1,000. ${SOURCE}`,
      }),
    ),
    card: Type.Optional(
      described(FreeFormObject, `An A2A agent card, version 1.0 or 0.3. Default: none. ${SOURCE}`),
    ),
    card_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: `URL of an A2A agent card, or of the server that has one. Default: none. ${SOURCE}`,
      }),
    ),
    external_key: Type.Optional(
      externalKey(`With \`card\` or \`card_url\`: ${EXTERNAL_KEY} Default: the URL of the card.`),
    ),
    ...EXPECTED_REVISION,
    override_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'With `card` or `card_url`: the name of the agent. At most 255 characters. Default: the name in the card.',
      }),
    ),
    rate_limit_requests_per_minute: Type.Optional(
      integer({
        format: 'int32',
        minimum: 1,
        description:
          'With `card` or `card_url`: `rate_limit_requests_per_minute` of the agent, 1 to 2,147,483,647. ' +
          'Default: 100 for a new agent; another one keeps its value.',
      }),
    ),
  },
  {
    $id: 'AgentImport',
    additionalProperties: false,
    description: 'What to import: rows or an A2A agent card. Other members get 422.',
    examples: [
      {
        rows: [
          {
            external_key: 'crm/4711',
            agent_name: 'Billing assistant',
            model_name: 'gpt-5.2',
            agent_metadata: { tags: ['billing'] },
          },
          { external_key: 'crm/4712', status: 'archived' },
        ],
      },
    ],
  },
)
export type AgentImport = Static<typeof AgentImport>

/** As `AgentImport`, with rows of any form: each is validated by itself. */
export const ImportRequestBody = Type.Object(
  {
    ...AgentImport.properties,
    rows: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array', minItems: 1, maxItems: MAX_IMPORT_ROWS })),
  },
  { additionalProperties: false },
)

/** The request bodies of an import, by media type. */
export const IMPORT_CONTENT = {
  'application/json': { schema: ref(AgentImport) },
  'application/x-ndjson': { schema: ref(AgentImportRow) },
  'application/jsonl': { schema: ref(AgentImportRow) },
  'text/csv': {
    schema: Type.String({
      description:
        'Comma-separated values (RFC 4180) in UTF-8. The first line has the names of the columns: those of ' +
        'AgentImportRow, or of their members, such as `agent_params.temperature`: an update keeps the members ' +
        'that no column sets. Objects and arrays are JSON. An empty cell is an absent field.',
    }),
  },
} as const
export type ImportMediaType = keyof typeof IMPORT_CONTENT

const ACTIONS = ['create', 'update', 'unchanged', 'conflict', 'failed'] as const
export type ImportAction = (typeof ACTIONS)[number]

/** `agent_deleted`: the agent of the external key can be recovered. */
const CODES = [...RESULT_CODES, 'agent_deleted'] as const
export type ImportErrorCode = (typeof CODES)[number]

export const MAX_ROW_FAULTS = 10

const AgentImportRowResult = Type.Object({
  row: integer({ format: 'int32', minimum: 0, description: 'Number of the row in the request, from 0.' }),
  line: nullable(
    integer({
      format: 'int32',
      minimum: 1,
      description: 'Line of the body where the row starts, from 1. null for a body in JSON and for a card.',
    }),
  ),
  external_key: nullable(
    Type.String({ description: 'External key of the row. null: it has none, or not a valid one.' }),
  ),
  action: oneOf(ACTIONS, {
    description:
      'What the request does with the row, or would do with `dry_run`. `create`: a new agent. `update`: a new ' +
      'revision of the agent. `unchanged`: the agent has these values already. `conflict`: the agent has changed ' +
      'since the dry run, or was deleted. `failed`: see `error`.',
  }),
  agent_id: nullable(
    described(
      Uuid,
      'Id of the agent. null: there is none, because the row failed or a dry run would create it.',
    ),
  ),
  revision: nullable(
    integer({
      minimum: 0,
      description:
        'The revision that the request made; the current one if it made none. 0: a dry run would create the ' +
        'agent. null: there is no agent, or the row failed. After a dry run, send it as `expected_revision` of ' +
        'the row.',
    }),
  ),
  fields: Type.Array(Type.String(), {
    description: 'Names of the fields that the request sets or changes, or would.',
  }),
  warnings: Type.Array(Type.String(), {
    description:
      'What the request ignores of the row, and where its values look like credentials, as sentences for readers.',
  }),
  faults: Type.Array(ref(ValidationError), {
    description:
      `With \`validation_error\`: the first ${MAX_ROW_FAULTS} validation errors. \`loc\` starts with \`body\` ` +
      'and the number of the row. Else empty.',
  }),
  error: nullable(
    Type.Object(
      {
        code: oneOf(CODES, {
          description:
            'Stable code of the error, as in the response of the operation for one agent. `validation_error`: ' +
            'see `faults`. `agent_deleted`: the agent was deleted and can be recovered.',
        }),
        detail: Type.String({ description: 'What is wrong and what to do, as a sentence for readers.' }),
      },
      { description: 'Why the row is a conflict or failed. null: it is neither.' },
    ),
  ),
})
export type AgentImportRowResult = Static<typeof AgentImportRowResult>

const count = (what: string) => integer({ format: 'int32', description: `Number of rows ${what}.` })

export const AgentImportResult = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'true: nothing was changed.' }),
    counts: Type.Object(
      {
        create: count('that create an agent'),
        update: count('that change an agent'),
        unchanged: count('whose agent has these values already'),
        conflict: count('whose agent has changed since the dry run, or was deleted'),
        failed: count('that failed'),
      },
      { description: 'How many rows have each action.' },
    ),
    results: Type.Array(AgentImportRowResult, { description: 'One result for each row, in order.' }),
  },
  {
    $id: 'AgentImportResult',
    description: 'What an import did, or would do.',
    examples: [
      {
        dry_run: false,
        counts: { create: 1, update: 0, unchanged: 0, conflict: 0, failed: 1 },
        results: [
          {
            row: 0,
            line: null,
            external_key: 'crm/4711',
            action: 'create',
            agent_id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
            revision: 1,
            fields: ['agent_name', 'model_name', 'agent_metadata'],
            warnings: [],
            faults: [],
            error: null,
          },
          {
            row: 1,
            line: null,
            external_key: 'crm/4712',
            action: 'failed',
            agent_id: null,
            revision: null,
            fields: [],
            warnings: [],
            faults: [
              { loc: ['body', 1, 'agent_name'], msg: 'Field required', type: 'missing' },
              { loc: ['body', 1, 'model_name'], msg: 'Field required', type: 'missing' },
            ],
            error: { code: 'validation_error', detail: 'The row is not valid: see its faults.' },
          },
        ],
      },
    ],
  },
)
export type AgentImportResult = Static<typeof AgentImportResult>

export const ImportIdempotencyKey = idempotencyKeyHeader(
  'A key that the client chooses for this request, unique among the imports of its user within the team, 1 to ' +
    '255 printable ASCII characters. A repetition with the same key and body changes no agent a second time, and ' +
    'returns the results of the first request; rows that it did not reach are applied now. With another body it ' +
    'gets 409 `idempotency_conflict`. Default: no key.',
)

export const IMPORT_SCHEMAS = [AgentImportRow, AgentImport, AgentImportResult]
