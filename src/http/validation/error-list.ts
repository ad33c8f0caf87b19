import type { ValidationError } from '../../api/problem.ts'
import { shorten } from '../../platform/json.ts'

export type Loc = ValidationError['loc']

/** The messages of pydantic 2. None quotes the input: it may hold a secret. */
const ERROR_MESSAGES = {
  missing: () => 'Field required',
  uuid_parsing: (error: string) => `Input should be a valid UUID, ${error}`,
  uuid_type: () => 'UUID input should be a string, bytes or UUID object',
  string_type: () => 'Input should be a valid string',
  string_too_short: (limit: number) =>
    `String should have at least ${limit} character${limit === 1 ? '' : 's'}`,
  string_too_long: (limit: number) => `String should have at most ${limit} characters`,
  string_pattern_mismatch: (pattern: string) => `String should match pattern '${pattern}'`,
  string_unicode: () => 'Input should be a valid string, unable to parse raw data as a unicode string',
  int_type: () => 'Input should be a valid integer',
  int_from_float: () => 'Input should be a valid integer, got a number with a fractional part',
  int_parsing: () => 'Input should be a valid integer, unable to parse string as an integer',
  int_parsing_size: () => 'Unable to parse input string as an integer, exceeded maximum size',
  float_type: () => 'Input should be a valid number',
  float_parsing: () => 'Input should be a valid number, unable to parse string as a number',
  finite_number: () => 'Input should be a finite number',
  greater_than_equal: (limit: number) => `Input should be greater than or equal to ${limit}`,
  less_than_equal: (limit: number) => `Input should be less than or equal to ${limit}`,
  bool_type: () => 'Input should be a valid boolean',
  bool_parsing: () => 'Input should be a valid boolean, unable to interpret input',
  too_short: (limit: number, length: number) =>
    `List should have at least ${limit} item${limit === 1 ? '' : 's'} after validation, not ${length}`,
  too_long: (limit: number, length: number) =>
    `List should have at most ${limit} item${limit === 1 ? '' : 's'} after validation, not ${length}`,
  list_type: () => 'Input should be a valid list',
  dict_type: (hint = '') => `Input should be a valid dictionary${hint}`,
  model_attributes_type: (hint = '') =>
    `Input should be a valid dictionary or object to extract fields from${hint}`,
  enum: (values: readonly string[]) => `Input should be ${quoteAll(values)}`,
  decimal_parsing: () => 'Input should be a valid decimal',
  decimal_type: () => 'Decimal input should be an integer, float, string or Decimal object',
  extra_forbidden: (instead?: string) =>
    `Extra inputs are not permitted${instead === undefined ? '' : `, use '${instead}'`}`,
  value_error: (reason: string) => `Value error, ${reason}`,
} as const

type ErrorType = keyof typeof ERROR_MESSAGES

/** `'a', 'b' or 'c'` */
function quoteAll(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** A hostile body can contain half a million errors. */
const MAX_ERRORS = 1_000

export class ErrorList {
  readonly errors: ValidationError[] = []

  get isFull(): boolean {
    return this.errors.length >= MAX_ERRORS
  }

  add<Type extends ErrorType>(
    loc: Loc,
    type: Type,
    ...details: Parameters<(typeof ERROR_MESSAGES)[Type]>
  ): void {
    const format = ERROR_MESSAGES[type] as (...details: unknown[]) => string
    this.append({ loc: [...loc], msg: format(...details), type })
  }

  append(error: ValidationError): void {
    if (!this.isFull) this.errors.push(error)
  }
}

/** Common names in other APIs, each with the name here. */
const OTHER_NAMES: Record<string, string> = {
  offset: 'cursor',
  page: 'cursor',
  skip: 'cursor',
  page_size: 'limit',
  per_page: 'limit',
  search: 'q',
  query: 'q',
  name: 'q',
  order_by: 'sort',
  to: 'against',
}

/** Reports the names in a query, or in an object that takes no other members, that the operation does not declare: a
 * misspelt filter must not return other data. */
export function refuseUnknownNames(
  loc: Loc,
  given: object,
  declared: readonly string[],
  errors: ErrorList,
): void {
  for (const name of Object.keys(given)) {
    if (errors.isFull) return
    if (declared.includes(name)) continue
    errors.add([...loc, shorten(name)], 'extra_forbidden', findSimilar(name, declared))
  }
}

/** The declared name that the client probably means. */
function findSimilar(name: string, declared: readonly string[]): string | undefined {
  if (shorten(name) !== name) return undefined
  const snakeCase = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll('-', '_')
    .replace(/\[\d*\]$/, '')
    .toLowerCase()
  const other = Object.hasOwn(OTHER_NAMES, snakeCase) ? OTHER_NAMES[snakeCase] : undefined
  if (other !== undefined && declared.includes(other)) return other
  return (
    declared.find((known) => isNear(snakeCase, known)) ??
    declared.find((known) =>
      SINGULARS.some((end) => end.test(known) && isNear(snakeCase, known.replace(end, ''))),
    )
  )
}

const SINGULARS = [/s$/, /es$/]

/** Singular and plural, or one letter that is missing, added, wrong or swapped. */
function isNear(name: string, known: string): boolean {
  if (name.length < 3 || known.length < 3) return false
  if (name === known || `${name}s` === known || `${name}es` === known || name === `${known}s`) return true
  let at = 0
  while (at < known.length && known[at] === name[at]) at++
  const swapped = (name[at + 1] ?? '') + (name[at] ?? '') + name.slice(at + 2)
  const rest = known.slice(at)
  return (
    name.slice(at + 1) === rest ||
    name.slice(at) === rest.slice(1) ||
    name.slice(at + 1) === rest.slice(1) ||
    swapped === rest
  )
}
