import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  AGENT_COLUMNS,
  BEHAVIOUR_COLUMNS,
  CHANGEABLE_COLUMNS,
  ORIGIN_COLUMNS,
  SETTABLE_COLUMNS,
} from '../../src/agent/columns.ts'
import { ORIGIN } from '../../src/agent/fields.ts'
import { AgentLatestEvaluation } from '../../src/agent/nested-objects.ts'
import { AGENT_DEFAULTS, Agent, AgentCreate, AgentUpdate } from '../../src/agent/schema.ts'
import { useConsole } from '../support/console.ts'

/** Follows docs/extending.md: each message names the file where a step is missing. */
describe('the columns of an agent', async () => {
  const running = await useConsole()
  const inTable = new Map(
    (
      await running.database.query<{ name: string; type: string; is_nullable: boolean }>(`
        SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS is_nullable
        FROM information_schema.columns WHERE table_name = 'agents'`)
    ).map((column) => [column.name, column]),
  )
  // A secret has columns of its own.
  const fields = Object.keys(AgentUpdate.properties).filter((name) => name !== 'api_key')

  it('hold every field of an update', () => {
    const columns: string[] = SETTABLE_COLUMNS.map(({ name }) => name)
    for (const name of fields) {
      assert.ok(columns.includes(name), `Add ${name} to SETTABLE_COLUMNS in src/agent/columns.ts.`)
    }
    for (const name of columns) {
      assert.ok(fields.includes(name), `Add ${name} to SETTABLE in src/agent/fields.ts.`)
    }
  })

  it('hold every field that describes where an agent came from', () => {
    const columns: string[] = ORIGIN_COLUMNS.map(({ name }) => name)
    assert.deepEqual(columns.toSorted(), Object.keys(ORIGIN).toSorted())
  })

  it('are those of the two tables that an agent moves between', async () => {
    const columnsOf = async (table: string) =>
      running.database.query<{ name: string; type: string; is_nullable: string }>(
        `SELECT column_name AS name, data_type AS type, is_nullable
         FROM information_schema.columns WHERE table_name = $1 ORDER BY column_name COLLATE "C"`,
        [table],
      )
    const agents = await columnsOf('agents')
    const deletedOnly = ['deleted_at', 'deleted_by', 'erase_at', 'erased_revision', 'is_erasing']
    assert.deepEqual(
      agents.map(({ name }) => name),
      AGENT_COLUMNS.toSorted(),
      'Add the column to AGENT_COLUMNS in src/agent/columns.ts.',
    )
    const deleted = await columnsOf('deleted_agents')
    assert.deepEqual(
      deleted.filter(({ name }) => !deletedOnly.includes(name)),
      agents,
      'Add the column to deleted_agents too.',
    )
  })

  it('are in a response: Agent has every field that a client can set', () => {
    for (const name of Object.keys(AgentCreate.properties)) {
      assert.ok(name in Agent.properties, `Add ${name} to Agent in src/agent/schema.ts.`)
    }
  })

  it('that affect the behaviour of the agent are listed in the API document and in Concepts', () => {
    const described = JSON.stringify(AgentLatestEvaluation.properties.current)
    const concepts = readFileSync(join(import.meta.dirname, '../../docs/concepts.md'), 'utf8')
    const [, paragraph = ''] = /^\*\*Evaluation\*\*([^]+?)\n\n/m.exec(concepts) ?? []
    for (const { name } of SETTABLE_COLUMNS) {
      const isListed = BEHAVIOUR_COLUMNS.includes(name)
      const hint = `${isListed ? 'Add' : 'Remove'} ${name}`
      assert.equal(
        new RegExp(`\\b${name}\\b`).test(described),
        isListed,
        `${hint}: AgentLatestEvaluation in src/agent/nested-objects.ts.`,
      )
      assert.equal(paragraph.includes(`\`${name}\``), isListed, `${hint}: "Evaluation" in docs/concepts.md.`)
    }
  })

  for (const column of CHANGEABLE_COLUMNS) {
    it(`have the type and the null rule of ${column.name} in the database`, () => {
      const { name, type } = column
      const stored = inTable.get(name)
      assert.ok(stored, `Add the column ${name} to agents by a new file in migrations/.`)
      assert.equal(stored.type, type, `Correct the type of ${name} in src/agent/columns.ts.`)
      assert.equal(
        stored.is_nullable,
        !('ignoresNull' in column),
        `Set ignoresNull for ${name} in src/agent/columns.ts exactly when the column is NOT NULL.`,
      )
      const isNullable = JSON.stringify(Agent.properties[name]).includes('"null"')
      assert.equal(
        stored.is_nullable,
        isNullable,
        `Make ${name} nullable in Agent exactly when its column is.`,
      )
      const isRequired = (AgentCreate.required as string[]).includes(name)
      assert.ok(
        stored.is_nullable || isRequired || name in AGENT_DEFAULTS || name in ORIGIN,
        `Add the default of ${name} to AGENT_DEFAULTS in src/agent/fields.ts.`,
      )
    })
  }
})
