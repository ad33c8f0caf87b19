import { shorten } from '../../platform/json/exact.ts'
import type { ErrorList, Loc } from './error-list.ts'

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

/** Reports the names in a query, or in an object that takes no other members, that the operation does not declare: a misspelt filter
 * must not return other data. */
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
