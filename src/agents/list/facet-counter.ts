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

/** Counts the agents of a team by each field. Each field ignores its own filter. */
export class FacetCounter {
  /** Agents whose model and tags match, by their flags: a few thousand combinations at most. */
  readonly #byFlags = new Map<number, number>()
  readonly #byModel = new KeyCounter()
  readonly #byTag = new KeyCounter()
  readonly #excluded: Record<FlagField, number>
  readonly #excludedByAny: number
  readonly #models: readonly Buffer[] | undefined
  readonly #tags: readonly Buffer[] | undefined

  constructor(filters: AgentFilters) {
    const excluded = FLAG_FIELD_NAMES.map((field) => [field, excludedFlags(field, filters[field])] as const)
    this.#excluded = Object.fromEntries(excluded) as Record<FlagField, number>
    this.#excludedByAny = excluded.reduce((bits, [, own]) => bits | own, 0)
    const keys = (field: FactField, values: readonly string[] | undefined) =>
      values?.map((value) => Buffer.from(filterKey(field, value), 'base64'))
    this.#models = keys('model', filters.modelNames)
    this.#tags = keys('tag', filters.tags)
  }

  /** Adds the agents of a page: their `facts` one after the other. */
  add(facts: Buffer, page: number): void {
    for (let at = 0; at < facts.length; ) {
      const end = at + TAGS_AT + KEY_BYTES * readUInt16(facts, at)
      this.#addAgent(facts, at, end, page)
      at = end
    }
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
    const { tallies } = field === 'model' ? this.#byModel : this.#byTag
    return tallies.toSorted((a, b) => b.count - a.count).slice(0, limit)
  }
}

/** Whether one of the keys in a range of `facts` is one of these. Undefined: any will do. */
function hasAny(facts: Buffer, start: number, end: number, keys: readonly Buffer[] | undefined): boolean {
  if (keys === undefined) return true
  for (let at = start; at < end; at += KEY_BYTES) {
    if (keys.some((key) => facts.compare(key, 0, KEY_BYTES, at, at + KEY_BYTES) === 0)) return true
  }
  return false
}

interface KeyTally extends Tally {
  /** The last two bytes of the key. */
  end: number
  /** Another key with the same first four bytes. */
  other: KeyTally | undefined
}

/** Counts keys. */
class KeyCounter {
  /** In the order in which they were found. */
  readonly tallies: Tally[] = []
  /** By the first four bytes of the key: integers of this size are faster than longer ones, and need no memory of their own. */
  readonly #byStart = new Map<number, KeyTally>()

  add(facts: Buffer, at: number, page: number): void {
    const start = readInt32(facts, at)
    const end = readUInt16(facts, at + 4)
    const first = this.#byStart.get(start)
    for (let tally = first; tally; tally = tally.other) {
      if (tally.end === end) {
        tally.count++
        return
      }
    }
    const key = facts.toString('base64', at, at + KEY_BYTES)
    const tally = { key, count: 1, page, end, other: first }
    this.tallies.push(tally)
    this.#byStart.set(start, tally)
  }
}

/** Faster than the methods of Buffer, which check their arguments. */
function readUInt16(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

function readInt32(bytes: Buffer, at: number): number {
  return (readUInt16(bytes, at) << 16) | readUInt16(bytes, at + 2)
}
