import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const ID_BYTES = 16

// Filled for 256 ids at once: every request gets an id, and each call of randomFillSync costs microseconds.
const random = new Uint8Array(256 * ID_BYTES)
let used = random.length

/** A UUID version 7 for the current time, or for a time in milliseconds since the epoch. */
export function newId(msecs: number = Date.now()): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  used += ID_BYTES
  return v7({ msecs, random: random.subarray(used - ID_BYTES, used) })
}
