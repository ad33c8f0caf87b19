import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Route } from 'playwright-core'
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

  it('begins a new sign-in after one that was refused, and after one whose address is opened again', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    const refuse = (route: Route) => {
      const asked = new URL(route.request().url()).searchParams
      const location = `${asked.get('redirect_uri')}?error=access_denied&state=${asked.get('state')}`
      return route.fulfill({ status: 303, headers: { location } })
    }
    await page.route(`${world.running.issuer.url}/auth?*`, refuse, { times: 1 })
    await open(visitor, world, '/agents?statuses=active')
    await page.getByRole('heading', { name: 'The sign-in was refused' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
    assert.equal(new URL(page.url()).search, '?statuses=active')
    await page.goto(`${world.url}/console/auth/callback?code=used&state=unknown`)
    await page.getByRole('heading', { name: 'This sign-in has expired' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
  })

  it('keeps the page when the issuer gives no token', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    const failed = { status: 503, json: { error: 'temporarily_unavailable' } }
    const headers = { 'access-control-allow-origin': '*' }
    await page.route('**/token', (route) => route.fulfill({ ...failed, headers }), { times: 1 })
    await open(visitor, world, '/agents?statuses=active')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
    assert.equal(new URL(page.url()).search, '?statuses=active')
  })

  it('says to a person without a team what is missing', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, '/agents', 'newcomer')
    await visitor.page.getByRole('heading', { name: 'You belong to no team yet' }).waitFor()
    await visitor.check()
  })

  it('says to a person of several teams why the console refuses', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    const problem = { code: 'team_ambiguous', detail: 'The token has 2 teams.' }
    await page.route('**/v1/me', (route) =>
      route.fulfill({ status: 403, json: problem, headers: { 'x-request-id': '9e44f0aa' } }),
    )
    await open(visitor, world, '/agents')
    await page.getByRole('heading', { name: 'The console refuses this sign-in' }).waitFor()
    await page.getByText('The token has 2 teams.').waitFor()
    await page.getByText('403 team_ambiguous · req 9e44f0aa').waitFor()
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
