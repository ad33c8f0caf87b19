import { type TSchema, Type } from 'typebox'
import { readAgent, updateAgent } from '../../agent/agents.ts'
import { createAgent } from '../../agent/create.ts'
import { diffRevisions, restoreRevision } from '../../agent/history/history.ts'
import { IdempotencyKeyHeader } from '../../agent/schema.ts'
import { oneOf } from '../../api/fields.ts'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import {
  CLEARABLE,
  CurrentRevision,
  FieldNames,
  Id,
  Input,
  ORIGIN_FIELDS,
  Reason,
  RequestId,
  Revision,
  UPDATE_FIELDS,
} from './schema.ts'
import { agentUri, defineTool } from './tool.ts'

/** The result of a tool that changes an agent. The values are not repeated. `revision` is the new one, or the same if
 * nothing changed; `credential_warnings` says where a value looks like a credential. */
const Changed = Type.Object({
  id: Type.String(),
  revision: Type.Integer(),
  changed: FieldNames,
  credential_warnings: FieldNames,
  request_id: RequestId,
})

interface Change {
  revision: number
  fields: readonly string[]
  credentialWarnings?: readonly string[]
}

function changedResult(id: string, { revision, fields, credentialWarnings = [] }: Change) {
  const what = fields.length === 0 ? 'was not changed' : `is at revision ${revision}`
  return {
    summary: `Agent ${id} ${what}.`,
    data: { id, revision, changed: fields, credential_warnings: credentialWarnings },
    uri: agentUri(id),
  }
}

function toUpdate(set: object = {}, clear: readonly string[] = []): object {
  const both = clear.filter((name) => Object.hasOwn(set, name))
  if (both.length > 0) {
    const msg = `set and clear both name ${both.join(', ')}`
    throw new RequestValidationError([{ loc: ['arguments', 'clear'], msg, type: 'value_error' }])
  }
  return { ...set, ...Object.fromEntries(clear.map((name) => [name, null])) }
}

const updateAgentTool = defineTool({
  name: 'update_agent',
  title: 'Update agent',
  description:
    'Changes fields of an agent; fields that are not named keep their values. It needs the revision that you read, ' +
    'and changes nothing if the agent has changed since. An object replaces the whole field. Secrets and ' +
    'white_box_config cannot be set.',
  permission: 'agent:write',
  effect: 'replaces',
  input: Input({
    id: Id,
    revision: CurrentRevision,
    set: Type.Optional(Type.Object(UPDATE_FIELDS, { additionalProperties: false })),
    clear: Type.Optional(Type.Array(oneOf(CLEARABLE), { description: 'Fields that lose their values.' })),
    reason: Reason,
  }),
  output: Changed,
  question: async ({ core, checkUpdate }, { id, revision, set, clear }, caller) => {
    const update = checkUpdate(toUpdate(set, clear))
    const conditions = { expectedRevisions: [revision], isDryRun: true }
    const { fields } = await updateAgent(core, caller, id, update, conditions)
    if (fields.length === 0) return undefined
    return `Change agent ${id} at revision ${revision}? Fields: ${fields.join(', ')}.`
  },
  run: async ({ core, checkUpdate }, { id, revision, set, clear }, caller) => {
    const update = checkUpdate(toUpdate(set, clear))
    return changedResult(id, await updateAgent(core, caller, id, update, { expectedRevisions: [revision] }))
  },
})

const restoreRevisionTool = defineTool({
  name: 'restore_revision',
  title: 'Restore revision',
  description:
    'Makes a new revision with the field values of an old one. Secrets, trust stage and scores stay as they are.',
  permission: 'agent:write',
  effect: 'replaces',
  input: Input({
    id: Id,
    restore: Revision('The old revision.'),
    revision: CurrentRevision,
    reason: Reason,
  }),
  output: Changed,
  question: async ({ core }, { id, restore, revision }, caller) => {
    const current = await readAgent(core, caller, id)
    if (current.revision !== revision) throw new Problem('revision_stale')
    const { changes } = await diffRevisions(core, caller, id, revision, restore)
    if (changes.length === 0) return undefined
    const fields = changes.map(({ field }) => field).join(', ')
    const question = `Restore revision ${restore} of agent ${id}, which is at revision ${revision}?`
    return `${question} Fields that differ: ${fields}.`
  },
  run: async ({ core }, { id, restore, revision }, caller) =>
    changedResult(id, await restoreRevision(core, caller, id, restore, { expectedRevisions: [revision] })),
})

const { minLength, maxLength, pattern } = IdempotencyKeyHeader.properties['idempotency-key'] as unknown as {
  minLength: number
  maxLength: number
  pattern: string
}

const createInput = (agent: Record<string, TSchema>, description?: string) =>
  Input({
    idempotency_key: Type.String({
      minLength,
      maxLength,
      pattern,
      description: 'A new text for each new agent, such as a UUID. Repeat it with a repeated call.',
    }),
    agent: Type.Object(agent, {
      ...(description === undefined ? { additionalProperties: false } : { description }),
      required: ['agent_name', 'model_name'],
    }),
    reason: Reason,
  })

const createAgentTool = defineTool({
  name: 'create_agent',
  title: 'Create agent',
  description:
    'Creates an agent in the team. A secret is set afterwards, through the API or the browser console.',
  permission: 'agent:write',
  effect: 'adds',
  input: createInput({ ...UPDATE_FIELDS, ...ORIGIN_FIELDS }),
  // Both tools need the same permission, so that they are always listed together.
  listedInput: createInput(
    { agent_name: Type.String(), model_name: Type.String(), ...ORIGIN_FIELDS },
    'Further fields: those of set in update_agent.',
  ),
  output: Type.Object({
    id: Type.String(),
    revision: Type.Integer(),
    credential_warnings: Type.Array(Type.String()),
    request_id: RequestId,
  }),
  run: async ({ core, checkCreate }, { idempotency_key: key, agent }, caller) => {
    const created = await createAgent(core, caller, checkCreate(agent), key)
    const { id, revision, credentialWarnings = [] } = created
    return {
      summary: `Created agent ${id}.`,
      data: { id, revision, credential_warnings: credentialWarnings },
      uri: agentUri(id),
    }
  },
})

/** The tools that change agents, in the order in which they are listed. There is none for deletions, secrets, the trust
 * stage and mounted services. */
export const WRITE_TOOLS = [updateAgentTool, restoreRevisionTool, createAgentTool]
