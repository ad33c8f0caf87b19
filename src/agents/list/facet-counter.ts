import { setImmediate } from 'node:timers/promises'
import {
  excludedFlags,
  type FactField,
  FLAG_FIELD_NAMES,
  FLAG_FIELDS,
  type FlagField,
  filterKey,
  KEY_BYTES,
} from './filter-table.ts'
import type { AgentFilters } from './filters.ts'

/** How many agents have a value of a model or a tag. */
export interface Tally {
  key: string
  count: number
  /** The page in which the value was found first. */
  page: number
}

/** The parts of `facts`: the number of tags, the flags, then the keys of the model and the tags. */
const FLAGS_AT = 2
const MODEL_AT = 6
const TAGS_AT = MODEL_AT + KEY_BYTES

/** How much of `facts` is counted before other requests have their turn: a few milliseconds. */
const TURN_BYTES = 256 * 1024

/** Agents can have millions of different tags. A field counts so many values, those that it found first. */
const MAX_VALUES = 100_000

/** Counts the agents of a team by each field. Each field ignores its own filter. */
export class FacetCounter {
  /** Agents whose model and tags match, by their flags: a few thousand combinations at most. */
  readonly #byFlags = new Map<number, number>()
  readonly #byModel: KeyCounter
  readonly #byTag: KeyCounter
  readonly #excluded: Record<FlagField, number>
  readonly #excludedByAny: number
  readonly #models: KeySet | undefined
  readonly #tags: KeySet | undefined

  constructor(filters: AgentFilters, maxValues = MAX_VALUES) {
    this.#byModel = new KeyCounter(maxValues)
    this.#byTag = new KeyCounter(maxValues)
    const excluded = FLAG_FIELD_NAMES.map((field) => [field, excludedFlags(field, filters[field])] as const)
    this.#excluded = Object.fromEntries(excluded) as Record<FlagField, number>
    this.#excludedByAny = excluded.reduce((bits, [, own]) => bits | own, 0)
    const keys = (field: FactField, values: readonly string[] | undefined) =>
      values && new KeySet(values.map((value) => Buffer.from(filterKey(field, value), 'base64')))
    this.#models = keys('model', filters.modelNames)
    this.#tags = keys('tag', filters.tags)
  }

  /** Adds the agents of a page: their `facts` one after the other. Returns how many they are. */
  async add(facts: Buffer, page: number): Promise<number> {
    let agents = 0
    let turnEnd = TURN_BYTES
    for (let at = 0; at < facts.length; ) {
      const end = at + TAGS_AT + KEY_BYTES * readUInt16(facts, at)
      this.#addAgent(facts, at, end, page)
      agents++
      at = end
      if (at < turnEnd) continue
      await setImmediate()
      turnEnd = at + TURN_BYTES
    }
    return agents
  }

  #addAgent(facts: Buffer, at: number, end: number, page: number): void {
    const flags = readInt32(facts, at + FLAGS_AT)
    const matchesFlags = (flags & this.#excludedByAny) === 0
    const matchesModel = hasAny(facts, at + MODEL_AT, at + TAGS_AT, this.#models)
    const matchesTags = hasAny(facts, at + TAGS_AT, end, this.#tags)
    if (matchesModel && matchesTags) this.#byFlags.set(flags, (this.#byFlags.get(flags) ?? 0) + 1)
    if (!matchesFlags) return
    if (matchesTags) this.#byModel.add(facts, at + MODEL_AT, page)
    if (!matchesModel) return
    for (let tag = at + TAGS_AT; tag < end; tag += KEY_BYTES) this.#byTag.add(facts, tag, page)
  }

  /** The agents that match all filters. */
  get count(): number {
    return this.#countWithout(this.#excludedByAny)
  }

  /** Every value of the field, in the order of the contract. */
  ofField(field: FlagField): { value: string; count: number }[] {
    const { values, firstBit } = FLAG_FIELDS[field]
    const excludedByOthers = this.#excludedByAny & ~this.#excluded[field]
    return values.map((value, n) => ({
      value,
      count: this.#countWithout(excludedByOthers, 1 << (firstBit + n)),
    }))
  }

  #countWithout(excluded: number, required = 0): number {
    let sum = 0
    for (const [flags, count] of this.#byFlags) {
      if ((flags & excluded) === 0 && (flags & required) === required) sum += count
    }
    return sum
  }

  mostFrequent(field: FactField, limit: number): Tally[] {
    return (field === 'model' ? this.#byModel : this.#byTag).mostFrequent(limit)
  }

  /** Whether a field has more values than it counts. */
  get hasUncounted(): boolean {
    return this.#byModel.hasUncounted || this.#byTag.hasUncounted
  }
}

/** Whether one of the keys in a range of `facts` is one of these. Undefined: any will do. */
function hasAny(facts: Buffer, start: number, end: number, keys: KeySet | undefined): boolean {
  if (keys === undefined) return true
  for (let at = start; at < end; at += KEY_BYTES) if (keys.has(facts, at)) return true
  return false
}

class KeySet {
  /** The last two bytes of the keys, by their first four. */
  readonly #ends = new Map<number, number[]>()

  constructor(keys: readonly Buffer[]) {
    for (const key of keys) {
      const start = readInt32(key, 0)
      this.#ends.set(start, [...(this.#ends.get(start) ?? []), readUInt16(key, 4)])
    }
  }

  has(facts: Buffer, at: number): boolean {
    return this.#ends.get(readInt32(facts, at))?.includes(readUInt16(facts, at + 4)) ?? false
  }
}

interface KeyTally extends Omit<Tally, 'key'> {
  /** The first four and the last two bytes of the key. */
  start: number
  end: number
}

const FIRST_SLOTS = 1024

/** How far a key is from its slot at most. Values whose keys were chosen to share a slot would take ever longer. */
const MAX_STEPS = 64

/** Counts keys, in a third of the time that a Map takes: keys are parts of a hash, so their bits choose their slots. */
class KeyCounter {
  /** In the order in which they were found. */
  readonly #tallies: KeyTally[] = []
  /** At least half of them are empty. */
  #slots: (KeyTally | undefined)[] = Array.from({ length: FIRST_SLOTS })
  readonly #maxValues: number
  hasUncounted = false

  constructor(maxValues: number) {
    this.#maxValues = maxValues
  }

  add(facts: Buffer, at: number, page: number): void {
    const start = readInt32(facts, at)
    const end = readUInt16(facts, at + 4)
    const slot = this.#findSlot(start, end)
    const tally = slot === undefined ? undefined : this.#slots[slot]
    if (tally) tally.count++
    else if (slot === undefined || this.#tallies.length === this.#maxValues) this.hasUncounted = true
    else this.#insert(slot, { start, end, count: 1, page })
  }

  /** The slot of the key, or the empty one where it belongs. Undefined if there is none near. */
  #findSlot(start: number, end: number): number | undefined {
    const slots = this.#slots
    for (let step = 0; step < MAX_STEPS; step++) {
      const slot = (start + step) & (slots.length - 1)
      const tally = slots[slot]
      if (tally === undefined || (tally.start === start && tally.end === end)) return slot
    }
    return undefined
  }

  #insert(slot: number, tally: KeyTally): void {
    this.#tallies.push(tally)
    this.#slots[slot] = tally
    if (this.#tallies.length * 2 < this.#slots.length) return
    this.#slots = Array.from({ length: this.#slots.length * 2 })
    for (const known of this.#tallies) {
      const next = this.#findSlot(known.start, known.end)
      if (next === undefined) this.hasUncounted = true
      else this.#slots[next] = known
    }
  }

  /** The greatest counts first; of equal ones, those that were found first. */
  mostFrequent(limit: number): Tally[] {
    const most: KeyTally[] = []
    for (const tally of this.#tallies) {
      if (most.length === limit && tally.count <= (most.at(-1)?.count ?? 0)) continue
      const place = most.findLastIndex(({ count }) => count >= tally.count) + 1
      most.splice(place, 0, tally)
      if (most.length > limit) most.pop()
    }
    return most.map(({ start, end, count, page }) => ({ key: keyOf(start, end), count, page }))
  }
}

function keyOf(start: number, end: number): string {
  const bytes = Buffer.alloc(KEY_BYTES)
  bytes.writeInt32BE(start)
  bytes.writeUInt16BE(end, 4)
  return bytes.toString('base64')
}

/** Faster than the methods of Buffer, which check their arguments. */
function readUInt16(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

function readInt32(bytes: Buffer, at: number): number {
  return (readUInt16(bytes, at) << 16) | readUInt16(bytes, at + 2)
}
