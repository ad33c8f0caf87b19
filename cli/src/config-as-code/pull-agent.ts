import { rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { ApiError, ConsoleError, Forbidden, Stale, Unauthenticated } from '@agent-console/sdk'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { DesiredAgent, RemovedAgent } from './desired.ts'
import type { ConnectedSet } from './open-set.ts'
import { type Pulled, takeAgent } from './pull.ts'
import { pulledSpec } from './pulled-spec.ts'
import { findUnset, type UnsetSecret } from './unset-secrets.ts'
import { updateDocument, writeDocument } from './write-file.ts'

/** What became of an agent. */
export interface PulledRow {
  key: string
  agent_id: string
  file: string
  status: 'written' | 'updated' | 'kept' | 'failed'
  /** The set took the agent. */
  adopted: boolean
  error: string | null
}

export interface AgentToPull extends Pulled {
  key: string
  path: string
  /** Undefined: no valid document has the key. */
  document: DesiredAgent | RemovedAgent | undefined
}

interface Place {
  set: ConnectedSet
  context: Context
  variables: ReadonlyMap<string, string>
  ownedByOthers: ReadonlyMap<string, Set<string>>
  unset: UnsetSecret[]
}

/** Writes the document of an agent. Rejects with errors that would be the same for every other agent. */
export async function pullAgent(pulled: AgentToPull, place: Place): Promise<PulledRow> {
  const { agent, key, path, document } = pulled
  const { io, options } = place.context
  const row = { key, agent_id: agent.id, file: relative(io.cwd, path), adopted: false, error: null }
  // A document without a spec says that its agent leaves the set.
  const isKept = document && !('spec' in document && options.isOn('overwrite'))
  if (isKept) return { ...row, status: 'kept' }
  try {
    return { ...row, ...(await writeAgent(pulled, place)) }
  } catch (error) {
    const reason = reasonOf(error, row.file, path)
    if (reason === undefined) throw error
    return { ...row, status: 'failed', error: reason }
  }
}

async function writeAgent(
  pulled: AgentToPull,
  { set, context, variables, ownedByOthers, unset }: Place,
): Promise<Pick<PulledRow, 'status' | 'adopted'>> {
  const { agent, member, key, path, document } = pulled
  const { io, options } = context
  const others = ownedByOthers.get(agent.id) ?? new Set()
  const spec = pulledSpec(agent, variables.get(key) ?? '', member?.fields, others)
  if (document && 'spec' in document) {
    await updateDocument(path, key, spec, document.spec)
    return { status: 'updated', adopted: false }
  }
  await writeDocument(path, key, spec, set.project.folder)
  const isTaken = !member && !options.isOn('no-adopt')
  if (isTaken) {
    // After the file is written: --prune archives an agent of the set that has none.
    const take = () => takeAgent(set.client, pulled, key, spec, io, options.text('reason'))
    await set.pool.patiently(take).catch(async (error: unknown) => {
      // The response may have been lost.
      const members = await set.client.members().catch(() => undefined)
      if (!members) {
        context.note(
          `It is not known whether the set took ${key}. Run: agent-console adopt ${agent.id} ${key}`,
        )
      } else if (members.get(key)?.agent_id !== agent.id) await rm(path, { force: true })
      throw error
    })
  }
  const found = await findUnset(spec, io)
  unset.push(...found.map((secret) => ({ ...secret, isOwned: Boolean(member) })))
  return { status: 'written', adopted: isTaken }
}

/** Undefined if it would be the same for every other agent. */
function reasonOf(error: unknown, file: string, path: string): string | undefined {
  if (error instanceof Failure) return error.message
  if (error instanceof Stale) return 'It was changed meanwhile. Pull it again.'
  if (error instanceof Unauthenticated || error instanceof Forbidden) return undefined
  if (error instanceof ApiError) return error.detail || error.message
  const { code, path: failedPath, syscall } = error as NodeJS.ErrnoException
  if (error instanceof ConsoleError || syscall === undefined) return undefined
  return code === 'EEXIST' && failedPath === path
    ? `${file} exists already, and no valid document in it has the key. Rename or repair the file.`
    : `${file} cannot be written: ${code}.`
}
