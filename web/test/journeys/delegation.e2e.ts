import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('the delegations of an agent', async () => {
  const world = await useWorld({ fleet: false })
  const browser = await useBrowser()
  const token = await world.tokenOf('administrator')

  async function create(
    agent_name: string,
    stage: string,
    delegated_agents: object[] = [],
    protection_status = 'unprotected',
  ): Promise<string> {
    const send = (method: string, path: string, body: object) =>
      fetch(`${world.url}/v1/agent-configurations${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const created = await send('POST', '', {
      ...{ agent_name, model_name: 'gpt-5', delegated_agents, protection_status },
    })
    const { id } = (await created.json()) as { id: string }
    await send('PUT', `/${id}/lifecycle`, { trust_stage: stage })
    return id
  }

  const lookup = await create('Parts price lookup', 'registered')
  const estimator = await create('Photo damage estimator', 'tested', [{ agent_id: lookup }])
  const policies = await create('Policy lookup', 'adapted')
  const claims = await create('Claims intake', 'hardened', [{ agent_id: estimator }, { agent_id: policies }])
  await create('Contact centre router', 'trusted', [{ agent_id: claims }])
  const outsider = await create('Towing desk', 'hardened', [{ url: 'https://tow.partner.example/a2a' }])

  it('are a graph, and the same as a table for keyboard and screen reader', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${claims}/delegation`)
    await page.getByRole('img', { name: 'On the weakest path' }).nth(1).waitFor({ state: 'attached' })
    assert.equal(await page.getByTestId(/^rf__node-(?!heading)/).count(), 5)
    assert.equal(
      await page
        .getByRole('application')
        .getByText(/^Weakest: /)
        .textContent(),
      'Weakest: no guard',
    )
    await visitor.check()

    assert.equal(await page.getByText('Not in this registry').count(), 0)
    const canvas = await page.getByRole('application').boundingBox()
    const heading = await page.getByText('This agent', { exact: true }).boundingBox()
    assert.ok((heading?.y ?? 0) - (canvas?.y ?? 0) < 40, 'the graph stands at the top')
    await page.getByRole('button', { name: 'Table' }).press('Enter')
    const rows = page.getByRole('table', { name: 'Delegations' }).locator('tbody tr')
    const texts = await rows.allTextContents()
    assert.equal(texts.length, 4)
    assert.match(texts[0] ?? '', /^IncomingContact centre routerClaims intakeHardened/)
    assert.match(
      texts.at(-1) ?? '',
      /Step 2Photo damage estimatorParts price lookupRegistered.*Weakest: no guard$/,
    )
    await page.getByText('3 agents, ends at Registered without a guard').waitFor()
    await visitor.check()

    await page.getByRole('button', { name: '1', exact: true }).click()
    await page.getByText('Not everything is shown: agents at the last step hand work on.').waitFor()
  })

  it('show the least protected of the agents at the lowest stage as the weakest', async () => {
    const invoices = await create('Invoice helper', 'tested', [], 'guarded')
    const dispatcher = await create('Warehouse dispatcher', 'tested')
    const out = [{ agent_id: invoices }, { agent_id: dispatcher }]
    const returns = await create('Returns assistant', 'hardened', out, 'guarded')
    const orders = await create('Order concierge', 'trusted', [{ agent_id: returns }], 'guarded')
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${orders}`)
    await page.getByText('3 agents, ends at Tested without a guard').waitFor()

    await open(visitor, world, `/agents/${orders}/delegation`)
    const panel = page.getByRole('complementary', { name: 'Weakest path' })
    await panel.getByRole('list').first().getByRole('listitem').first().waitFor()
    const steps = await panel.getByRole('list').first().getByRole('listitem').allTextContents()
    assert.match(steps.at(-1) ?? '', /Warehouse dispatcher/)
    assert.match(
      await panel.getByText('→ Returns assistant').locator('..').innerText(),
      /Invoice helper.*Tested.*Guarded/s,
    )
    await page.getByRole('button', { name: 'Table' }).press('Enter')
    const rows = page.getByRole('table', { name: 'Delegations' }).locator('tbody tr')
    assert.match((await rows.nth(0).textContent()) ?? '', /On the weakest path$/)
    assert.match((await rows.nth(1).textContent()) ?? '', /Invoice helper.*GuardedNever evaluated$/)
    await visitor.check()
  })

  it('show an agent that is not in the registry as unknown', async () => {
    const visitor = await visit(browser, { theme: 'dark' })
    await open(visitor, world, `/agents/${outsider}/delegation`)
    const unknown = visitor.page.getByTestId(/^rf__node-/).filter({ hasText: 'tow.partner.example' })
    await unknown.getByText('Not in this registry', { exact: true }).waitFor()
    await visitor.page.getByText('2 agents, ends outside this registry').waitFor()
    await visitor.check()
  })

  it('are one sentence if there are none, with the way to add some for those who may', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    const alone = await create('Works alone', 'tested')
    await open(visitor, world, `/agents/${alone}/delegation`)
    await page.getByRole('heading', { name: 'No delegations' }).waitFor()
    assert.equal(await page.getByText('It hands work to no agent').count(), 1)
    assert.equal(await page.getByRole('button', { name: 'Table' }).count(), 0)
    assert.equal(await page.getByRole('complementary', { name: 'Weakest path' }).count(), 0)
    await visitor.check()
    await page.getByRole('link', { name: 'Add agents' }).click()
    await page.waitForURL(/\/configuration#f-delegated-agents$/)
    const list = page.locator('#f-delegated-agents')
    await list.waitFor()
    await page.waitForFunction(
      (element) => element !== null && element.getBoundingClientRect().top < innerHeight,
      await list.elementHandle(),
    )

    const viewer = await visit(browser)
    await open(viewer, world, `/agents/${alone}/delegation`, 'viewer')
    const add = viewer.page.getByRole('button', { name: 'Add agents' })
    assert.equal(await add.getAttribute('aria-disabled'), 'true')
    await viewer.page.getByText('Needs the permission agent:write').waitFor()
    await viewer.check()
  })
})
