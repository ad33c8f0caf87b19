import { createHash } from 'node:crypto'
import { parseUuid } from '../../contract/uuid.ts'

/** More entries of `delegated_agents` are not part of the graph. The next one is stored, as a sign that there are more. */
export const MAX_DELEGATIONS = 1_000

const MAX_LABEL_LENGTH = 255

/** A row of `delegations`. Keys are in the text format of bytea. */
export interface Delegation {
  position: number
  label: string | null
  target_id: string | null
  card_key: string | null
  url_key: string | null
}

/** A current row of `agent_addresses`. */
export interface Address {
  is_card: boolean
  key: string
}

/** What the entries of `delegated_agents` name. An id decides alone: an entry whose agent is gone does not become one for
 * another agent at the same URL. */
export function readDelegations(delegatedAgents: unknown): Delegation[] {
  if (!Array.isArray(delegatedAgents)) return []
  return delegatedAgents.slice(0, MAX_DELEGATIONS + 1).map((entry: Record<string, unknown>, position) => {
    const targetId = toUuid(entry['agent_id'])
    const card = toText(entry['agent_card_url'])
    const url = toText(entry['url'])
    return {
      position,
      label:
        (targetId ?? card ?? url ?? toText(entry['name']))?.slice(0, MAX_LABEL_LENGTH).toWellFormed() ?? null,
      target_id: targetId,
      card_key: targetId === null && card !== null ? keyOf('card', card) : null,
      url_key: targetId === null && url !== null ? keyOf('url', url) : null,
    }
  })
}

export function urlAddress(agentUrl: unknown): Address[] {
  const url = toText(agentUrl)
  return url === null ? [] : [{ is_card: false, key: keyOf('url', url) }]
}

export function cardAddress(importMetadata: unknown): Address[] {
  const url = toText((importMetadata as { source_url?: unknown } | null)?.source_url)
  return url === null ? [] : [{ is_card: true, key: keyOf('card', url) }]
}

/** URLs that differ only in what a server does not see, or in one slash at the end of the path, are the same. A text that is
 * no URL stands for itself. */
export function normaliseUrl(text: string): string {
  const trimmed = text.trim()
  const url = URL.parse(trimmed)
  if (!url || url.host === '') return trimmed
  return `${url.protocol}//${url.host.toLowerCase()}${url.pathname.replace(/\/$/, '')}${url.search}`
}

function keyOf(kind: 'card' | 'url', url: string): string {
  return `\\x${createHash('sha256')
    .update(`${kind} ${normaliseUrl(url)}`)
    .digest('hex')}`
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

function toUuid(value: unknown): string | null {
  const parsed = typeof value === 'string' ? parseUuid(value) : undefined
  return parsed?.ok ? parsed.uuid : null
}
