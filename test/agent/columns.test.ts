import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AGENT_COLUMNS, CHANGEABLE_COLUMNS } from '../../src/agent/columns.ts'
import { Agent } from '../../src/agent/schema.ts'
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
      'The migrations and AGENT_COLUMNS in src/agent/columns.ts differ.',
    )
    const deleted = await columnsOf('deleted_agents')
    assert.deepEqual(
      deleted.filter(({ name }) => !deletedOnly.includes(name)),
      agents,
      'Add the column to deleted_agents too.',
    )
  })

  for (const column of CHANGEABLE_COLUMNS) {
    it(`have the type and the null rule of ${column.name} in the database`, () => {
      const { name, type } = column
      const stored = inTable.get(name)
      assert.ok(stored, `Add the column ${name} to agents by a new file in migrations/.`)
      assert.equal(stored.type, type, `Correct the type of ${name} in src/agent/fields.ts.`)
      assert.equal(
        stored.is_nullable,
        !column.ignoresNull,
        `Give ${name} a default in src/agent/fields.ts exactly when the column is NOT NULL.`,
      )
      const isNullable = JSON.stringify(Agent.properties[name]).includes('"null"')
      assert.equal(isNullable, stored.is_nullable)
    })
  }
})
