import { isDeepStrictEqual } from 'node:util'
import type { ComponentGraph } from './references.ts'

/** Whether two documents mean the same by a component: it says the same in both, and so does all that it refers to. */
export function isSame(one: ComponentGraph, other: ComponentGraph, key: string): boolean {
  const met = new Set<string>()
  const open = [key]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (met.has(next)) continue
    met.add(next)
    if (!isDeepStrictEqual(one.at(next), other.at(next))) return false
    open.push(...one.namedBy(next), ...other.namedBy(next))
  }
  return true
}
