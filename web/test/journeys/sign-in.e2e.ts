import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('signing in', async () => {
  const world = await useWorld()
  const browser = await useBrowser()

  it('brings a deep link with filters back, and keeps no token in storage', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents?statuses=active&statuses=draft')
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/agents')
    assert.deepEqual(new URL(page.url()).searchParams.getAll('statuses'), ['active', 'draft'])
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    )
    assert.doesNotMatch(kept, /eyJ|token/)
    await visitor.check()
  })

  it('says to a person without a team what is missing', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, '/agents', 'newcomer')
    await visitor.page.getByRole('heading', { name: 'You belong to no team yet' }).waitFor()
    await visitor.check()
  })

  it('says to a viewer which permission a page needs, without asking the server', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, '/agents/new', 'viewer')
    await visitor.page.getByRole('heading', { name: 'You may not create agents' }).waitFor()
    assert.match((await visitor.page.textContent('main')) ?? '', /agent:write/)
    await visitor.check()
  })
})
