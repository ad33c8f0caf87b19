import type { AgentFiltersQuery } from '../../contract/agent-filters.ts'
import {
  excludedFlags,
  type FactField,
  FLAG_FIELD_NAMES,
  FLAG_FIELDS,
  type FlagField,
  filterKey,
} from './filter-table.ts'

/** Which agents of a team a request is about. */
export interface AgentFilters extends Record<FlagField, readonly string[]> {
  modelNames: readonly string[] | undefined
  hubs: readonly string[] | undefined
  tags: readonly string[] | undefined
  minScore: number | undefined
  /** Part of a name. */
  q: string | undefined
}

/** Removes duplicate values and fixes their order, so that equal filters accept the same cursor. Archived agents match only if
 * the request names that status. */
export function readFilters({
  model_names,
  hubs,
  tags,
  min_score,
  q,
  ...query
}: AgentFiltersQuery): AgentFilters {
  const chosen = (field: FlagField): readonly string[] => {
    const given: readonly string[] = query[field] ?? []
    const { values } = FLAG_FIELDS[field]
    if (given.length > 0) return values.filter((value) => given.includes(value))
    return field === 'statuses' ? values.filter((value) => value !== 'archived') : values
  }
  return {
    statuses: chosen('statuses'),
    trust_stages: chosen('trust_stages'),
    protection_statuses: chosen('protection_statuses'),
    access_levels: chosen('access_levels'),
    protocols: chosen('protocols'),
    evaluation: chosen('evaluation'),
    modelNames: distinct(model_names),
    hubs: distinct(hubs),
    tags: distinct(tags),
    minScore: min_score,
    q: q === '' ? undefined : q,
  }
}

function distinct(values: readonly string[] | undefined): string[] | undefined {
  return values && values.length > 0 ? [...new Set(values)].toSorted() : undefined
}

/** The parameters of a statement. */
export class Parameters {
  readonly values: unknown[]

  constructor(...values: unknown[]) {
    this.values = values
  }

  /** Returns the placeholder of the value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** The condition that a row of `agent_filters` of the team matches the filters. */
export function matchesFilters(filters: AgentFilters, parameters: Parameters): string {
  const excluded = FLAG_FIELD_NAMES.reduce((bits, field) => bits | excludedFlags(field, filters[field]), 0)
  const conditions = [
    excluded === 0 ? [] : `flags & ${parameters.add(excluded)}::integer = 0`,
    hasAnyFact('model', filters.modelNames, parameters),
    hasAnyFact('tag', filters.tags, parameters),
    matchesUncounted(filters, parameters),
  ].flat()
  return conditions.join(' AND ') || 'true'
}

/** Whether the filters are on fields without a facet, too. */
export function filtersUncounted({ hubs, minScore, q }: AgentFilters): boolean {
  return hubs !== undefined || minScore !== undefined || q !== undefined
}

/** The part of the condition whose fields have no facet. */
export function matchesUncounted({ hubs, minScore, q }: AgentFilters, parameters: Parameters): string[] {
  return [
    hubs === undefined
      ? []
      : `hub = ANY (${parameters.add(hubs.map((hub) => filterKey('hub', hub)))}::text[])`,
    minScore === undefined ? [] : `score >= ${parameters.add(minScore)}::double precision`,
    q === undefined ? [] : `search_name LIKE lower(${parameters.add(searchPattern(q))}::text)`,
  ].flat()
}

function hasAnyFact(
  field: FactField,
  values: readonly string[] | undefined,
  parameters: Parameters,
): string[] {
  if (values === undefined) return []
  const patterns = values.map((value) => parameters.add(factPattern(field, filterKey(field, value))))
  return [`(${patterns.map((pattern) => `facts LIKE ${pattern}::text`).join(' OR ')})`]
}

/** The pattern of `facts` with a key. The model follows the number of tags and the flags. Base64 has none of the wildcards. */
export function factPattern(field: FactField, key: string): string {
  return field === 'model' ? `________${key}%` : `%${key}%`
}

/** Escapes `%` and `_`, the wildcards of LIKE. PostgreSQL converts both names and pattern to lower case, because JavaScript
 * converts some letters (final sigma, `İ`) differently. */
export function searchPattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
