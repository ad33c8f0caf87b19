import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('the audit page', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const id = world.agents['invoices'] ?? ''

  it('dates the changes of the demonstration as their revisions, and can still not be changed', async () => {
    const { query } = world.running.database
    const [{ revisions, dated } = {}] = await query<{ revisions: number; dated: number }>(
      `SELECT count(*)::int AS revisions, count(*) FILTER (WHERE EXISTS (
         SELECT FROM audit_events e WHERE (e.team_id, e.agent_id, e.at) = (r.team_id, r.agent_id, r.changed_at)))::int AS dated
       FROM agent_revisions r`,
    )
    assert.equal(dated, revisions)
    await assert.rejects(query('UPDATE audit_events SET at = 0'), /append-only/)
  })

  it('filters by action and agent, and keeps the filters in the address', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/audit')
    await page.getByRole('button', { name: 'Action' }).click()
    await page.getByRole('button', { name: 'Trust stage changed' }).click()
    await page.getByRole('button', { name: 'Agent', exact: true }).click()
    await page.getByLabel('Name').fill('invoice')
    await page.getByRole('dialog').getByRole('button', { name: 'Invoice helper' }).click()
    await page.getByText('1 event shown').first().waitFor()
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('action'), 'agent_trust_stage_changed')
    assert.equal(searchParams.get('agent_id'), id)
    await visitor.check()

    await page.getByRole('button', { name: 'Remove the filter action' }).click()
    await page.getByRole('cell', { name: 'Agent created' }).waitFor()
    await page.goBack()
    await page.getByText('1 event shown').first().waitFor()
  })

  it('says that no event matches, and clears the filters', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/audit?field=no_such_field')
    await page.getByRole('heading', { name: 'No event matches' }).waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('table', { name: 'Audit events' }).waitFor()
  })

  it('exports what matches, one JSON text a line', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/audit?agent_id=${id}&action=agent_updated`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export NDJSON' }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { agent_id: string; action: string })
    assert.equal(events.length > 0, true)
    for (const event of events) assert.deepEqual([event.agent_id, event.action], [id, 'agent_updated'])
    await visitor.check()
  })
})
