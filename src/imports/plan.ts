import { timingSafeEqual } from 'node:crypto'
import { Problem } from '../contract/problem.ts'
import type { Caller } from '../platform/identity/identity.ts'
import { SecretText } from '../platform/secrets/secret-text.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { CheckedRow } from './valid-rows.ts'

/** What a dry run saw of the agent of a row. */
export interface Seen {
  id: string
  revision: number
}

/** For each row; undefined if its external key had no agent, or the row is not valid. */
export type SeenAgents = readonly (Seen | undefined)[]

const VERSION = 1
const HEADER_BYTES = 5
const SIGNATURE_BYTES = 32
/** Of the random end of the id: enough to notice that the external key has another agent now. */
const ID_BYTES = 3

const PLAN_SECONDS = 3_600

/**
 * A plan is what a dry run saw, signed by the console for its team, user and rows, so that nothing is stored. It has a version, the
 * time when it expires, and for each row the revision (0: no agent) as a variable-length integer and the end of the agent's id.
 * The signature is an HMAC: rows may contain secrets, and a plain hash of a short one can be guessed.
 */
export function createPlans(secrets: Secrets, now: () => number) {
  const signatures = ({ teamId, userId }: Caller, rows: readonly CheckedRow[], content: Buffer): Buffer[] => {
    const place = { teamId, agentId: '', field: `agent_imports ${userId}` }
    const text = JSON.stringify([
      content.toString('base64'),
      rows.map(({ externalKey, fields, onCreate, members }) => [externalKey, fields, onCreate, members]),
    ])
    return secrets.fingerprints(place, new SecretText(text))
  }

  return {
    make(caller: Caller, rows: readonly CheckedRow[], seen: SeenAgents): { plan: string; expiresAt: number } {
      const expiresAt = Math.floor(now() / 1_000) + PLAN_SECONDS
      const header = Buffer.alloc(HEADER_BYTES)
      header.writeUInt8(VERSION)
      header.writeUInt32BE(expiresAt, 1)
      const content = Buffer.concat([header, ...rows.map((_, index) => encode(seen[index]))])
      const [signature = Buffer.alloc(0)] = signatures(caller, rows, content)
      return { plan: Buffer.concat([signature, content]).toString('base64url'), expiresAt }
    },

    /** Returns what the dry run saw. Throws if the plan is not one of these rows, or has expired. */
    open(caller: Caller, rows: readonly CheckedRow[], plan: string): SeenInPlan {
      const bytes = Buffer.from(plan, 'base64url')
      const signature = bytes.subarray(0, SIGNATURE_BYTES)
      const content = bytes.subarray(SIGNATURE_BYTES)
      const isOurs =
        signature.length === SIGNATURE_BYTES &&
        content.length >= HEADER_BYTES &&
        signatures(caller, rows, content).some((own) => timingSafeEqual(own, signature))
      if (!isOurs) throw new Problem('plan_not_valid')
      if (content.readUInt32BE(1) < now() / 1_000) throw new Problem('plan_not_valid', { detail: EXPIRED })
      const revisions = decode(content.subarray(HEADER_BYTES))
      return {
        isSame: (index, found) => {
          const one = revisions[index]
          if (!one || !found) return !one && !found
          return one.revision === found.revision && one.idEnd.equals(idEnd(found.id))
        },
      }
    },
  }
}

export interface SeenInPlan {
  /** Whether the external key of a row still has the agent that the dry run saw, at the same revision; or still has none. */
  isSame: (index: number, found: Seen | undefined) => boolean
}

const EXPIRED = 'The plan has expired. Repeat the dry run, and apply its plan within an hour.'

const idEnd = (id: string) => Buffer.from(id.slice(-2 * ID_BYTES), 'hex')

function encode(seen: Seen | undefined): Buffer {
  if (!seen) return Buffer.from([0])
  const bytes: number[] = []
  let rest = seen.revision
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  return Buffer.concat([Buffer.from([...bytes, rest]), idEnd(seen.id)])
}

/** The signature has shown that the console wrote the bytes. */
function decode(bytes: Buffer): ({ revision: number; idEnd: Buffer } | undefined)[] {
  const rows: ReturnType<typeof decode> = []
  for (let at = 0; at < bytes.length; ) {
    let revision = 0
    let factor = 1
    for (; (bytes[at] ?? 0) >= 0x80; at++, factor *= 0x80) revision += ((bytes[at] as number) - 0x80) * factor
    revision += (bytes[at++] as number) * factor
    rows.push(revision === 0 ? undefined : { revision, idEnd: bytes.subarray(at, (at += ID_BYTES)) })
  }
  return rows
}
