/** Members of a status that this page knows; all others are shown as JSON. */
const KNOWN = new Set(['agent_id', 'state', 'generation', 'updated_at', 'proposals'])

export interface Proposal {
  id: string | undefined
  field: string | undefined
  fitness: number | undefined
  verdict: string | undefined
  createdAt: number | undefined
  rest: Record<string, unknown>
}

export interface KnownStatus {
  state: string | undefined
  generation: number | undefined
  /** Unix time in seconds. */
  updatedAt: number | undefined
  /** undefined: the member is absent or is not a list of objects. */
  proposals: Proposal[] | undefined
  /** What this page does not know, empty if there is nothing. */
  rest: Record<string, unknown>
}

/** The service defines its fields: what has another type than expected stays in the rest. */
export function readStatus(status: Record<string, unknown>): KnownStatus {
  const state = textOf(status['state'])
  const generation = numberOf(status['generation'])
  const updatedAt = numberOf(status['updated_at'])
  const proposals = proposalsOf(status['proposals'])
  const understood: Record<string, unknown> = {
    state,
    generation,
    updated_at: updatedAt,
    proposals,
    agent_id: true,
  }
  const rest = Object.entries(status).filter(([name]) => !KNOWN.has(name) || understood[name] === undefined)
  return { state, generation, updatedAt, proposals, rest: Object.fromEntries(rest) }
}

function proposalsOf(value: unknown): Proposal[] | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'object' && each !== null))
    return undefined
  return (value as Record<string, unknown>[]).map(({ id, field, fitness, verdict, created_at, ...rest }) => ({
    id: textOf(id),
    field: textOf(field),
    fitness: numberOf(fitness),
    verdict: textOf(verdict),
    createdAt: numberOf(created_at),
    rest,
  }))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** awaiting_approval: "Awaiting approval" */
export function inWords(value: string): string {
  const text = value.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The genome of a text, or why it is none. */
export function readGenome(text: string): { genome: Record<string, unknown> } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { genome: value as Record<string, unknown> }
      : { fault: 'A genome is a JSON object: it begins with { and ends with }.' }
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` }
  }
}
