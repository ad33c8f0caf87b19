import type { Agent, AgentResult } from '@agent-console/sdk'
import { colourOf } from '../output/colours.ts'
import type { Result } from '../output/result.ts'
import { oneLine, severalLines } from '../output/safe-text.ts'
import type { Colour, Style } from '../output/style.ts'
import { renderPairs } from '../output/table.ts'
import { absoluteTime } from '../output/time.ts'
import { maskSecrets } from './mask.ts'

/** Fields in Unix seconds. */
export const TIMES = ['created_at', 'updated_at', 'trusted_at', 'last_evaluated_at']
const STATES = ['status', 'trust_stage', 'protection_status']
const MAX_LINES = 8

/** An agent as commands print it: with its revision, without clear text of secrets. */
const agentData = ({ agent, revision }: Pick<AgentResult, 'agent' | 'revision'>) => ({
  revision,
  ...maskSecrets(agent),
})

export function agentResult(result: Pick<AgentResult, 'agent' | 'revision'>): Result {
  return {
    data: agentData(result),
    names: [result.agent.id],
    render: (style) => renderPairs(agentPairs(agentData(result), style), style),
  }
}

/** A change, in one line. */
export function changeResult(result: AgentResult, what: string, note: (text: string) => void): Result {
  noteHeaders(result, note)
  const { agent, revision } = result
  return {
    ...agentResult(result),
    render: ({ paint }) => `${oneLine(agent.agent_name)} ${paint(what, 'green')}, revision ${revision}`,
  }
}

/** What the console says about the values that were sent. */
function noteHeaders({ ignoredFields, credentialWarnings }: AgentResult, note: (text: string) => void): void {
  if (ignoredFields.length > 0) note(`The console ignored: ${oneLine(ignoredFields.join(', '))}`)
  if (credentialWarnings.length > 0) {
    note(
      `These values look like credentials, and every reader sees them: ${oneLine(credentialWarnings.join(', '))}`,
    )
  }
}

function agentPairs(
  agent: Agent & { revision: number },
  style: Style,
): [string, string, Colour | undefined][] {
  return Object.entries(agent)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => [
      name,
      showField(name, value, style),
      STATES.includes(name) && typeof value === 'string' ? colourOf(value) : undefined,
    ])
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' &&
    Object.values(value).every((member) => member === null || member === undefined))

function showField(name: string, value: unknown, style: Style): string {
  if (TIMES.includes(name) && typeof value === 'number') return showTime(value, style)
  return showValue(value)
}

/** Exact, and on a terminal also relative. */
function showTime(seconds: number, { time }: Style): string {
  const [exact, shown] = [absoluteTime(seconds), time(seconds)]
  return shown === exact ? exact : `${exact}, ${shown}`
}

/** Text as it is, lists of words in one line, other objects a member a line. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return shorten(severalLines(value))
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return oneLine(value.join(', '))
  if (Array.isArray(value)) return shorten(value.map((item) => oneLine(JSON.stringify(item))).join('\n'))
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== null)
    return shorten(members.map(([name, member]) => `${oneLine(name)}: ${showMember(member)}`).join('\n'))
  }
  return String(value)
}

const showMember = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))

function shorten(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= MAX_LINES) return text
  return [...lines.slice(0, MAX_LINES - 1), `… ${lines.length - MAX_LINES + 1} more lines`].join('\n')
}
