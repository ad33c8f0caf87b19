import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { assertNowhere } from '../support/watched-page.ts'
import { useWorld, type World } from '../support/world.ts'

const COLLECTION = '/v1/agent-configurations'
const KEY = 'sk-planted-9Qm2vX7pLr0Kd8-b702'
const TOKEN = 'ghp-planted-4tR8wE4nT6yB1c-e91f'

describe('secrets', async () => {
  const world = await useWorld({ fleet: false })
  const browser = await useBrowser()
  const token = await world.tokenOf('administrator')

  test('a secret is revealed, recorded, and hidden when the tab is left', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page, context } = visitor
    await open(visitor, world, `/agents/${id}/secrets`)
    await page.getByText('********b702').waitFor()
    await assertNowhere(page, context, KEY)
    const card = page.getByRole('region', { name: 'API key' })
    await card.getByRole('button', { name: 'Reveal for 30 s' }).click()
    await card.getByText(KEY).waitFor()
    assert.equal(await page.getByText(TOKEN).count(), 0, 'only the one that was asked for is shown')
    await page.getByText('· you').first().waitFor()
    await visitor.check()

    await leaveTab(page)
    await card.getByText('masked').waitFor()
    await assertNowhere(page, context, KEY)

    const { body } = await world.running.request<{ results: { action: string; detail: object }[] }>(
      'GET',
      `/v1/audit-events?agent_id=${id}&action=secrets_read`,
      { token },
    )
    assert.deepEqual(
      body.results.map(({ detail }) => detail),
      [{ fields: ['api_key', 'white_box_config.github_token'] }],
    )
    await visitor.context.close()
  })

  test('a secret is hidden after 30 seconds', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page, context } = visitor
    await page.clock.install()
    await open(visitor, world, `/agents/${id}/secrets`)
    const card = page.getByRole('region', { name: 'API key' })
    await card.getByRole('button', { name: 'Reveal for 30 s' }).click()
    await card.getByText(KEY).waitFor()
    await page.clock.runFor(20_000)
    assert.equal(await card.getByText(KEY).count(), 1)
    await page.clock.runFor(11_000)
    await card.getByText('masked').waitFor()
    await assertNowhere(page, context, KEY)
    await visitor.context.close()
  })

  test('a secret is copied without being shown', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page, context } = visitor
    await open(visitor, world, `/agents/${id}/secrets`)
    const card = page.getByRole('region', { name: 'GitHub token' })
    await card.getByRole('button', { name: 'Copy without showing' }).click()
    await page.getByText('GitHub token copied').waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), TOKEN)
    await assertNowhere(page, context, TOKEN)
    await visitor.context.close()
  })

  test('secrets are replaced, added and cleared, and stay nowhere in the browser', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page, context } = visitor
    await open(visitor, world, `/agents/${id}/secrets`)
    const github = page.getByRole('region', { name: 'GitHub token' })
    await github.getByRole('button', { name: 'Replace', exact: true }).click()
    const input = page.getByLabel('New GitHub token')
    await input.fill('ghp-new-planted-0123456789-77aa')
    await assertNowhere(page, context, 'ghp-new-planted')
    await visitor.check()
    await github.getByRole('button', { name: 'Replace GitHub token' }).click()
    await github.getByText('********77aa').waitFor()
    await input.waitFor({ state: 'detached' })
    await assertNowhere(page, context, 'ghp-new-planted')

    await page.getByRole('button', { name: 'Add a named secret' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('crm-token')
    await page.getByLabel('Value', { exact: true }).fill('crm-planted-0123456789-4a39')
    await page.getByRole('button', { name: 'Add secret' }).click()
    const named = page.getByRole('region', { name: 'crm-token' })
    await named.getByText('********4a39').waitFor()

    await named.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete crm-token' }).click()
    // The dialog first: while it is open, no role of the page behind it is found.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await named.waitFor({ state: 'detached' })
    const { body } = await world.running.request('GET', `${COLLECTION}/${id}/secrets`, { token })
    assert.deepEqual(body, {
      api_key: KEY,
      white_box_config: { github_token: 'ghp-new-planted-0123456789-77aa' },
      secrets: {},
    })
    await visitor.check()
    await visitor.context.close()
  })

  test('a viewer sees masks and which permissions are missing, and causes no refusal', async () => {
    const id = await makeAgent(world, token)
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/secrets`, 'viewer')
    const card = page.getByRole('region', { name: 'API key' })
    const reveal = card.getByRole('button', { name: 'Reveal for 30 s' })
    await reveal.waitFor()
    assert.match((await reveal.getAttribute('title')) ?? '', /agent:secret/)
    await reveal.click({ force: true })
    await visitor.check()
    const refused = '/v1/audit-events?action=permission_refused'
    const { body } = await world.running.request<{ results: unknown[] }>('GET', refused, { token })
    assert.deepEqual(body.results, [])
    await visitor.context.close()
  })
})

async function makeAgent(world: World, token: string): Promise<string> {
  const json = {
    ...{ agent_name: 'Claims intake', model_name: 'model', api_key: KEY },
    white_box_config: { repo_url: 'https://git.example/claims', github_token: TOKEN },
  }
  const { body } = await world.running.request<{ id: string }>('POST', COLLECTION, { token, json })
  return body.id
}

/** Another tab comes to the front. A browser without a window keeps every tab visible, so the page is told. */
async function leaveTab(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}
