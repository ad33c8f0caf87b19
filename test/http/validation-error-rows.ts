import type { ValidationError } from '../../src/api/problem.ts'
import { COLLECTION } from '../support/agents.ts'

type Loc = ValidationError['loc']

/** One fault, and what is answered with it alone: a body put to an agent, one posted to the collection, or
 * a path that is asked for. */
export interface FaultRow {
  type: string
  msg: string
  loc: Loc
  put?: string
  post?: string
  get?: string
}

const UUID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const NOT_A_UUID = 'Input should be a valid UUID, '
const inBody = (...loc: Loc): Loc => ['body', ...loc]

/** Every row of the table of faults, through the running server. */
export const FAULT_ROWS: FaultRow[] = [
  { type: 'missing', msg: 'Field required', loc: inBody('model_name'), post: '{"agent_name":"a"}' },
  { type: 'missing', msg: 'Field required', loc: ['query', 'name'], get: '/probe/required' },
  { type: 'missing', msg: 'Field required', loc: ['body'], put: 'null' },
  { type: 'missing', msg: 'Field required', loc: ['body'], put: '' },
  { type: 'json_invalid', msg: 'JSON decode error', loc: inBody(12), put: '{"status": 5' },
  {
    type: 'uuid_parsing',
    msg: `${NOT_A_UUID}invalid length: expected length 32 for simple format, found 3`,
    loc: ['path', 'id'],
    get: `${COLLECTION}/abc`,
  },
  {
    type: 'uuid_parsing',
    msg: `${NOT_A_UUID}invalid group count: expected 5, found 4`,
    loc: inBody('guard_config_id'),
    put: `{"guard_config_id":"${UUID.replace('-', '')}"}`,
  },
  {
    type: 'uuid_parsing',
    msg: `${NOT_A_UUID}invalid group length in group 4: expected 12, found 11`,
    loc: ['query', 'id'],
    get: `/probe?id=${UUID.slice(0, -1)}`,
  },
  {
    type: 'uuid_type',
    msg: 'UUID input should be a string, bytes or UUID object',
    loc: inBody('guard_config_id'),
    put: '{"guard_config_id":5}',
  },
  { type: 'string_type', msg: 'Input should be a valid string', loc: inBody('hub'), put: '{"hub":1}' },
  {
    type: 'int_type',
    msg: 'Input should be a valid integer',
    loc: inBody('rate_limit_requests_per_minute'),
    put: '{"rate_limit_requests_per_minute":true}',
  },
  {
    type: 'int_from_float',
    msg: 'Input should be a valid integer, got a number with a fractional part',
    loc: inBody('last_evaluated_at'),
    put: '{"last_evaluated_at":1.5}',
  },
  ...['abc', '1.0', '0x10', '1e3', '', ' 1', '٣'].map((text) => ({
    type: 'int_parsing',
    msg: 'Input should be a valid integer, unable to parse string as an integer',
    loc: ['query', 'limit'],
    get: `/probe?limit=${encodeURIComponent(text)}`,
  })),
  ...['2147483648', '9007199254740993', '1e400'].map((number) => ({
    type: 'less_than_equal',
    msg: 'Input should be less than or equal to 2147483647',
    loc: inBody('rate_limit_requests_per_minute'),
    put: `{"rate_limit_requests_per_minute":${number}}`,
  })),
  ...['0', '-2147483649', '-1e400'].map((number) => ({
    type: 'greater_than_equal',
    msg: 'Input should be greater than or equal to 1',
    loc: inBody('rate_limit_requests_per_minute'),
    put: `{"rate_limit_requests_per_minute":${number}}`,
  })),
  {
    type: 'less_than_equal',
    msg: 'Input should be less than or equal to 9007199254740991',
    loc: inBody('agent_params', 'max_tokens'),
    put: '{"agent_params":{"max_tokens":9007199254740992}}',
  },
  ...['9007199254740992', '9'.repeat(5_000)].map((digits) => ({
    type: 'int_parsing_size',
    msg: 'Unable to parse input string as an integer, exceeded maximum size',
    loc: ['query', 'limit'],
    get: `/probe?limit=${digits}`,
  })),
  {
    type: 'float_type',
    msg: 'Input should be a valid number',
    loc: inBody('agent_params', 'top_p'),
    put: '{"agent_params":{"top_p":"1"}}',
  },
  {
    type: 'bool_type',
    msg: 'Input should be a valid boolean',
    loc: inBody('guard_manually_configured'),
    put: '{"guard_manually_configured":1}',
  },
  ...['2', 'tru', '', 'null'].map((text) => ({
    type: 'bool_parsing',
    msg: 'Input should be a valid boolean, unable to interpret input',
    loc: ['query', 'flag'],
    get: `/probe?flag=${text}`,
  })),
  {
    type: 'list_type',
    msg: 'Input should be a valid list',
    loc: inBody('evaluated_harnesses'),
    put: '{"evaluated_harnesses":{}}',
  },
  {
    type: 'dict_type',
    msg: 'Input should be a valid dictionary',
    loc: inBody('agent_params', 'rag_params'),
    put: '{"agent_params":{"rag_params":[]}}',
  },
  {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
    loc: inBody('delegated_agents', 1),
    put: '{"delegated_agents":[{},[]]}',
  },
  {
    type: 'enum',
    msg: "Input should be 'tested' or 'trusted'",
    loc: ['query', 'stages', 1],
    get: '/probe?stages=tested&stages=Tested',
  },
  {
    type: 'greater_than_equal',
    msg: 'Input should be greater than or equal to 1',
    loc: ['query', 'limit'],
    get: '/probe?limit=0',
  },
  {
    type: 'less_than_equal',
    msg: 'Input should be less than or equal to 500',
    loc: ['query', 'limit'],
    get: '/probe?limit=501',
  },
  {
    type: 'string_too_long',
    msg: 'String should have at most 255 characters',
    loc: inBody('agent_name'),
    put: `{"agent_name":"${'😀'.repeat(256)}"}`,
  },
  ...['9'.repeat(65), 'x'.repeat(65)].map((text) => ({
    type: 'string_too_long',
    msg: 'String should have at most 64 characters',
    loc: inBody('test_score'),
    put: `{"test_score":"${text}"}`,
  })),
  ...['9'.repeat(65), '1e64', '-1e-63'].map((number) => ({
    type: 'value_error',
    msg: 'Value error, this number has more than 64 characters in plain notation',
    loc: inBody('test_score'),
    put: `{"test_score":${number}}`,
  })),
  {
    type: 'decimal_parsing',
    msg: 'Input should be a valid decimal',
    loc: inBody('test_score'),
    put: '{"test_score":"1,5"}',
  },
  {
    type: 'decimal_type',
    msg: 'Decimal input should be an integer, float, string or Decimal object',
    loc: inBody('test_score'),
    put: '{"test_score":[1]}',
  },
]
