import { isDeepStrictEqual } from 'node:util'
import { type ComponentGraph, spread } from './references.ts'

/** The components by which two documents do not mean the same: those that say something else in one than in the other, and
 * all that lead to one of them. */
export function findDifferent(one: ComponentGraph, other: ComponentGraph): Set<string> {
  const keys = new Set([...one.keys, ...other.keys])
  const unequal = [...keys].filter((key) => !isDeepStrictEqual(one.at(key), other.at(key)))
  return spread(unequal, (key) => [...one.namersOf(key), ...other.namersOf(key)])
}
