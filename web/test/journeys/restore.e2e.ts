import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld, type World } from '../support/world.ts'

const COLLECTION = '/v1/agent-configurations'

describe('history and restore', async () => {
  const world = await useWorld({ fleet: false })
  const browser = await useBrowser()
  let token: string
  before(async () => {
    token = await world.tokenOf('administrator')
  })

  test('a restore shows what it opens again, and makes a new revision with a reason', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/history?a=1&b=3`)
    await page.getByText('MCP access').first().waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Restore revision 1' }).click()
    await page.getByText('goes back to write').waitFor()
    await page.getByText('MCP write access was not approved').last().waitFor()
    await page.getByPlaceholder('Why is this brought back?').fill('The pilot needs it — für Österreich')
    await visitor.check()
    await page.getByRole('button', { name: 'Restore as revision 4' }).click()
    await page.getByText('Revision 1 is restored as revision 4').waitFor()
    await page.getByText('The pilot needs it — für Österreich').waitFor()
    assert.match(page.url(), /a=3&b=4/)
    assert.equal((await read(world, token, id)).mcp_config.access_level, 'write')
    await visitor.check()
    await visitor.context.close()
  })

  test('a restore after a conflict looks again, and overwrites nothing unseen', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page } = visitor
    // The page does not hear of the change of another user, so that only the If-Match of its request finds it.
    await page.route('**/v1/agent-configurations/events**', () => undefined)
    await open(visitor, world, `/agents/${id}/history?a=1&b=3`)
    await page.getByRole('button', { name: 'Restore revision 1' }).click()
    await page.getByPlaceholder('Why is this brought back?').fill('Keep this reason')
    await put(world, token, id, { purpose: 'Another purpose' }, 'Unseen change')
    await page.getByRole('button', { name: 'Restore as revision 4' }).click()
    await page.getByText('Revision 4 was saved since this preview of revision 3').waitFor()
    assert.equal((await read(world, token, id)).purpose, 'Another purpose')
    await page.getByText('Unseen change').last().waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Look at the new preview' }).click()
    await page.getByText('Purpose', { exact: false }).last().waitFor()
    assert.equal(await page.getByPlaceholder('Why is this brought back?').inputValue(), 'Keep this reason')
    await page.getByRole('button', { name: 'Restore as revision 5' }).click()
    await page.getByText('Revision 1 is restored as revision 5').waitFor()
    await visitor.check()
    await visitor.context.close()
  })

  test('the keyboard alone compares and restores', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/history`)
    const rows = page.locator('[data-entry]')
    await rows.first().waitFor()
    await tabTo(page, '[data-entry]')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('a')
    await page.waitForURL(/a=1&b=3/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('b')
    await page.waitForURL(/a=1&b=2/)
    await page.keyboard.press('End')
    await page.keyboard.press('r')
    await page.getByText('goes back to write').waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await page.getByText('Revision 1 is restored as revision 4').waitFor()
    await visitor.check()
    await visitor.context.close()
  })

  test('a viewer sees the history, and why restoring is off', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/history?a=1&b=3`, 'viewer')
    const restore = page.getByRole('button', { name: 'Restore revision 1' })
    await restore.waitFor()
    assert.equal(await restore.getAttribute('aria-disabled'), 'true')
    assert.match((await restore.getAttribute('title')) ?? '', /agent:write/)
    await restore.focus()
    await page.keyboard.press('Enter')
    assert.equal(await page.getByText('Preview: nothing is saved yet').count(), 0)
    await visitor.check()
    await visitor.context.close()
  })
})

/** Three revisions: MCP write access, then a new prompt, then MCP read access. */
async function makeAgent(world: World, token: string): Promise<string> {
  const { body } = await world.running.request<{ id: string }>('POST', COLLECTION, {
    token,
    json: {
      ...{ agent_name: 'Claims intake', model_name: 'model', agent_system_prompt: 'Be brief.\nBe kind.' },
      mcp_config: { access_level: 'write' },
    },
  })
  await put(world, token, body.id, { agent_system_prompt: 'Be brief.\nBe polite.' })
  await put(
    world,
    token,
    body.id,
    { mcp_config: { access_level: 'read' } },
    'MCP write access was not approved',
  )
  return body.id
}

async function put(world: World, token: string, id: string, json: object, reason = ''): Promise<void> {
  const headers = { 'console-change-reason': encodeURIComponent(reason) }
  const { status, text } = await world.running.request('PUT', `${COLLECTION}/${id}`, { token, json, headers })
  assert.equal(status, 200, text)
}

async function read(world: World, token: string, id: string) {
  const { body } = await world.running.request<{ purpose: string; mcp_config: { access_level: string } }>(
    'GET',
    `${COLLECTION}/${id}`,
    { token },
  )
  return body
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate((each) => document.activeElement?.matches(each) === true, selector)) return
  }
  assert.fail(`${selector} cannot be reached by Tab`)
}
