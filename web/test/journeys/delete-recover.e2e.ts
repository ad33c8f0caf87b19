import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld, type World } from '../support/world.ts'

const COLLECTION = '/v1/agent-configurations'

describe('delete, recover and copy', async () => {
  const world = await useWorld({ fleet: false })
  const browser = await useBrowser()
  const token = await world.tokenOf('administrator')

  test('a deletion names the dependents, asks for the name, and is undone', async () => {
    const id = await make(world, token, {
      agent_name: 'Photo estimator',
      agent_url: 'https://photo.example/',
    })
    await make(world, token, {
      agent_name: 'Claims intake',
      delegated_agents: [{ url: 'https://photo.example/' }],
    })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}`)
    const plan = Promise.withResolvers<void>()
    await page.route('**/*dry_run=true*', async (route) => {
      await plan.promise
      await route.fulfill({ status: 409, json: { code: 'plan_failed', detail: 'No.' } })
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete agent', description: /^Looking for agents/ }).waitFor()
    plan.resolve()
    await dialog.getByText('The agents that hand work to it could not be loaded').waitFor()
    await visitor.check()
    await page.unroute('**/*dry_run=true*')
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('1 agent hands work to it').waitFor()
    await dialog.getByText('Claims intake').waitFor()
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    const again = Promise.withResolvers<void>()
    await page.route('**/*dry_run=true*', async (route) => {
      await again.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete agent', description: /^Looking for agents/ }).waitFor()
    again.resolve()
    await dialog.getByText('1 agent hands work to it').waitFor()
    await visitor.check()
    const remove = dialog.getByRole('button', { name: 'Delete agent' })
    assert.equal(await remove.getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel('Type the name to go on').fill('Photo estimator')
    await remove.click()
    await page.getByText('Photo estimator is deleted').waitFor()
    assert.equal(await statusOf(world, token, id), 404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('h1:focus', { hasText: 'Photo estimator' }).waitFor()
    assert.equal(await statusOf(world, token, id), 200)
    await visitor.check()
    await visitor.context.close()
  })

  test('the page of a deleted agent offers to recover it', async () => {
    const id = await make(world, token, { agent_name: 'Deleted by another user' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}`)
    await page.getByRole('heading', { level: 1, name: 'Deleted by another user' }).waitFor()
    await world.running.request('DELETE', `${COLLECTION}/${id}`, { token })
    await page.getByRole('heading', { name: '“Deleted by another user” was deleted' }).waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Recover it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Deleted by another user' }).waitFor()
    await visitor.check()
    await visitor.context.close()
  })

  test('a copy is a draft without secrets; an archived agent comes back by Undo', async () => {
    const id = await make(world, token, { agent_name: 'Original', api_key: 'sk-planted-0123456789-4a39' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await page.getByText('Archived, revision 2').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back, revision 3').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy as a new agent' }).click()
    await visitor.check()
    await page.getByRole('button', { name: 'Create the copy' }).click()
    await page.getByRole('heading', { level: 1, name: 'Original (copy)' }).waitFor()
    const made = /agents\/([^/]+)/.exec(page.url())?.[1]
    const { body } = await world.running.request('GET', `${COLLECTION}/${made}`, { token })
    assert.deepEqual([body.status, body.api_key], ['draft', null])
    await visitor.context.close()
  })

  test('a viewer finds the reasons in the menu', async () => {
    const id = await make(world, token, { agent_name: 'Seen by a viewer' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}`, 'viewer')
    await page.getByRole('button', { name: 'More actions' }).click()
    const remove = page.getByRole('menuitem', { name: 'Delete' })
    assert.match((await remove.textContent()) ?? '', /agent:delete/)
    await visitor.check()
    await visitor.context.close()
  })
})

async function make(world: World, token: string, fields: object): Promise<string> {
  const json = { model_name: 'model', ...fields }
  const { body } = await world.running.request<{ id: string }>('POST', COLLECTION, { token, json })
  return body.id
}

async function statusOf(world: World, token: string, id: string): Promise<number> {
  return (await world.running.request('GET', `${COLLECTION}/${id}`, { token })).status
}
