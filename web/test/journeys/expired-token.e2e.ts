import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { agentId, colleague } from '../support/colleague.ts'
import { refusal, refuseRenewals } from '../support/renewals.ts'
import { useWorld } from '../support/world.ts'

describe('a token that expires while an agent is edited', async () => {
  const tokenSeconds = 2
  const world = await useWorld({ tokenSeconds })
  const browser = await useBrowser()
  const { agents } = colleague(world)
  const id = agentId(world, 'invoices')

  it('is renewed by the save, as soon as the sign-in service renews it', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByLabel('Purpose').fill('Written with the first token')
    const ended = page.getByText('Your sign-in has ended', { exact: true })
    await page.route('**/token', (route) => route.fulfill(refusal(503, 'temporarily_unavailable')))
    await page.waitForFunction((until) => Date.now() > until, Date.now() + tokenSeconds * 1000)
    await page.keyboard.press('Control+s')
    await page.getByText('The sign-in service cannot be reached. Try again.').first().waitFor()
    assert.equal(await ended.count(), 0)
    await page.route('**/token', (route) => route.fulfill(refusal(400, 'invalid_grant')))
    await page.keyboard.press('Control+s')
    await ended.waitFor()
    await page.unroute('**/token')
    const renewed = page.waitForResponse((response) => response.url().endsWith('/token') && response.ok())
    await page.keyboard.press('Control+s')
    await renewed
    await page.getByText('Saved revision').waitFor()
    await ended.waitFor({ state: 'detached' })
    assert.equal((await agents.get(id)).agent.purpose, 'Written with the first token')
    await visitor.check()
  })

  it('loses nothing when only a new sign-in helps', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByLabel('Purpose').fill('Written before the sign-in ended')
    await refuseRenewals(page)
    await page.waitForFunction((until) => Date.now() > until, Date.now() + tokenSeconds * 1000)
    await page.keyboard.press('Control+s')
    await page.getByText('Not saved. Your changes are still here.').waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByText('Your unsaved changes are back').waitFor()
    assert.equal(await page.getByLabel('Purpose').inputValue(), 'Written before the sign-in ended')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved revision').waitFor()
    assert.equal((await agents.get(id)).agent.purpose, 'Written before the sign-in ended')
    await visitor.check()
  })
})
