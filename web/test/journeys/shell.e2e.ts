import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EXAMPLE } from '../../../dev/issuer/people.ts'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('the shell', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const agentPath = `/agents/${world.agents['invoices']}`

  async function change(name: string): Promise<void> {
    const changed = await world.running.request(
      'PUT',
      `/v1${agentPath.replace('agents', 'agent-configurations')}`,
      {
        token: await world.tokenOf('administrator'),
        json: { agent_name: name },
      },
    )
    assert.equal(changed.status, 200)
  }

  it('says who you are and what you may do, and signs out', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/services', 'viewer')
    await page.getByRole('button', { name: 'Jun Takeda' }).click()
    await page.getByText('Create and change agents: no').waitFor({ state: 'attached' })
    await visitor.check()
    await page.getByRole('button', { name: 'Copy your team id' }).click()
    await page.getByRole('status').getByText('Team id copied').waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), EXAMPLE.team)
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark')
    await visitor.check()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page
      .getByText(/signed out|sign out/i)
      .first()
      .waitFor()
  })

  it('signs out of every tab, also when the issuer has no page for it', async () => {
    const visitor = await visit(browser)
    const { page, context } = visitor
    await page.route('**/.well-known/openid-configuration', async (route) => {
      const response = await route.fetch()
      const { end_session_endpoint: _, ...json } = (await response.json()) as Record<string, unknown>
      await route.fulfill({ response, json })
    })
    await open(visitor, world, '/services', 'viewer')
    const other = await context.newPage()
    await open({ ...visitor, page: other }, world, '/services', 'viewer')
    await page.getByRole('button', { name: 'Jun Takeda' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const each of [page, other])
      await each.getByRole('heading', { name: 'You are signed out' }).waitFor()
  })

  it('keeps what is not saved in a tab that stays when another tab signs out', async () => {
    const visitor = await visit(browser)
    const { page, context } = visitor
    await open(visitor, world, '/agents')
    const other = await context.newPage()
    await open({ ...visitor, page: other }, world, `${agentPath}/configuration`)
    await other.getByLabel('Purpose').click()
    await other.keyboard.type('Not saved yet. ')
    const asked = other.waitForEvent('dialog')
    await page.getByRole('button', { name: 'Priya Raghunathan' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await (await asked).dismiss()
    await other.getByText('Your sign-in has ended', { exact: true }).waitFor()
    await other.keyboard.type('More. ')
    await other.waitForFunction(() => JSON.stringify(sessionStorage).includes('More. '))
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    other.once('dialog', (dialog) => void dialog.accept())
    await other.getByRole('button', { name: 'Sign in again' }).click()
    await other.locator('button[value="administrator"]').click()
    await other.getByText('Your unsaved changes are back').waitFor()
    assert.match(await other.getByLabel('Purpose').inputValue(), /Not saved yet\. More\. /)
  })

  it('works by keys: pages, the sheet of keys, and off where single letters are switched off', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true)
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL('**/console/lifecycle')
    await page.locator('h1:focus', { hasText: 'Lifecycle' }).waitFor()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    await sheet.waitFor()
    await visitor.check()
    await sheet.getByRole('switch').uncheck()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    assert.match(page.url(), /\/console\/lifecycle$/)
  })

  it('moves the focus to the title of a page that the user may not see', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents/new', 'viewer')
    await page.getByRole('heading', { name: 'You may not create agents' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.locator('h1:focus', { hasText: 'Lifecycle' }).waitFor()
    await page.goBack()
    await page.locator('h3:focus', { hasText: 'You may not create agents' }).waitFor()
    await visitor.check()
  })

  it('shows the change of another user in every tab, by one stream', async () => {
    const visitor = await visit(browser)
    const { page, context } = visitor
    const streams: string[] = []
    context.on('request', (request) => {
      if (request.url().endsWith('/v1/agent-configurations/events')) streams.push(request.url())
    })
    await open(visitor, world, agentPath)
    await page.getByText('Live', { exact: true }).waitFor()
    const second = await context.newPage()
    await second.goto(`${world.url}/console${agentPath}`)
    await second.getByText('Live', { exact: true }).waitFor()
    await change('Invoice helper, renamed')
    for (const tab of [page, second]) {
      await tab.getByRole('heading', { level: 1, name: 'Invoice helper, renamed' }).waitFor()
    }
    assert.equal(streams.length, 1)
    // The tab that has the stream closes: the other one takes over without losing a change.
    await page.close()
    await change('Invoice helper')
    await second.getByRole('heading', { level: 1, name: 'Invoice helper', exact: true }).waitFor()
    assert.equal(streams.length, 2)
  })

  it('moves the stage of an agent from its menu, with a reason', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, agentPath)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Move stage…' }).waitFor()
    await visitor.check()
    await page.getByRole('menuitem', { name: 'Move stage…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Hardened' }).check()
    await dialog.getByLabel('Reason').fill('Passed the review')
    await visitor.check()
    await dialog.getByRole('button', { name: 'Move to Hardened' }).click()
    await page.getByRole('status').getByText('Moved to Hardened, revision').waitFor()
    await page.locator('header:has(h1)').getByText('Hardened').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').getByText('Moved back to Tested, revision').waitFor()
    await page.locator('header:has(h1)').getByText('Tested').waitFor()
  })

  it('has its navigation at the bottom of a phone', async () => {
    const visitor = await visit(browser, { width: 390, height: 844 })
    const { page } = visitor
    await open(visitor, world, agentPath)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await visitor.check()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await page.getByRole('button', { name: 'You' }).click()
    const you = page.getByRole('dialog', { name: 'You' })
    await you.waitFor()
    assert.equal(await you.getByText('Single-letter keys').count(), 0)
    await visitor.check()
    await you.getByRole('button', { name: 'Pause live updates' }).click()
    await you.getByText('Paused', { exact: true }).waitFor()
  })
})
