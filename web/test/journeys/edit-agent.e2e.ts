import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { agentId, colleague } from '../support/colleague.ts'
import { assertNowhere } from '../support/watched-page.ts'
import { useWorld } from '../support/world.ts'

const SECRET = 'sk-planted-4f9a8c7d6e5b4a39'

describe('editing an agent', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const { agents } = colleague(world)
  const id = agentId(world, 'invoices')
  await agents.update(id, {
    agent_params: { temperature: 0.2, max_tokens: 1024, seed: 7 },
    white_box_config: { repo_url: 'https://git.example/invoices', github_token: SECRET },
  })

  it('shows the difference while typing and saves only what changed, with the reason', async () => {
    const visitor = await visit(browser)
    const { page, context } = visitor
    const before = await agents.get(id)
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByLabel('Max tokens').fill('4096')
    const changes = page.getByRole('complementary', { name: 'What saving changes' })
    await changes.getByText('1024').waitFor()
    await page.getByLabel('Branch').fill('main')
    await changes.getByText('2 fields').waitFor()
    await page.getByLabel('Reason').fill('Longer answers')
    await visitor.check()

    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await page.keyboard.press('Control+s')
    const body = (await sent).postDataJSON() as Record<string, unknown>
    await page.getByText(`Saved revision ${before.revision + 1}`).waitFor()
    assert.deepEqual(Object.keys(body).toSorted(), ['agent_params', 'white_box_config'])
    assert.equal((await sent).headers()['if-match'], `"${before.revision}"`)

    const after = await agents.get(id)
    assert.deepEqual(after.agent.agent_params, { temperature: 0.2, max_tokens: 4096, seed: 7 })
    assert.equal((await agents.secrets(id)).white_box_config.github_token, SECRET)
    const { results } = await agents.revisions(id, { limit: 1 })
    assert.equal(results[0]?.reason, 'Longer answers')
    await changes.getByText('nothing yet').waitFor()
    await assertNowhere(page, context, SECRET)
    await visitor.check()
  })

  it('shows the mask of a secret, and the fields of a white box where something uses them', async () => {
    const { agent } = await agents.create({ agent_name: 'Black box', model_name: 'one', api_key: SECRET })
    const visitor = await visit(browser)
    const { page, context } = visitor
    await open(visitor, world, `/agents/${agent.id}/configuration`)
    await page.getByText('********4a39').waitFor()
    await page.getByRole('link', { name: 'Change in Secrets for API key' }).waitFor()
    assert.equal(await page.getByLabel('Repository').count(), 0)
    await page.getByRole('button', { name: 'Source code' }).click()
    const repository = page.getByLabel('Repository')
    await repository.waitFor()
    assert.equal(await repository.evaluate((input) => document.activeElement === input), true)
    await page.getByRole('link', { name: 'Set in Secrets for GitHub token' }).waitFor()
    await visitor.check()
    await assertNowhere(page, context, SECRET)
    await page.reload()
    await page.getByLabel('Access level', { exact: true }).selectOption('white_box')
    await page.getByLabel('Repository').waitFor()
  })

  it('says in the panel what is wrong with a value, and asks for no reason until it can be saved', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    const before = await page.getByLabel('Rate limit').inputValue()
    await page.getByLabel('Rate limit').fill('1.5')
    const panel = page.getByRole('complementary', { name: 'What saving changes' })
    await panel.getByText('Enter a whole number, such as 60.').waitFor()
    assert.match((await panel.textContent()) ?? '', new RegExp(`before: ${before}after: 1\\.5`))
    await panel.getByText('Correct 1 field first').first().waitFor()
    assert.equal(await panel.getByLabel('Reason').count(), 0)
    await visitor.check()
    await page.getByLabel('Rate limit').fill('61')
    await panel.getByLabel('Reason').waitFor()
    await panel.getByRole('button', { name: 'Discard changes' }).click()
  })

  it('puts a refused value at its field, with a summary and the focus', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByLabel('Guard configuration').fill('not-an-id')
    await page.getByLabel('Rate limit').fill('0')
    await page.keyboard.press('Control+s')
    const summary = page.getByRole('alert').filter({ hasText: '2 fields need a correction' })
    await summary.waitFor()
    const rate = page.getByLabel('Rate limit')
    assert.equal(await rate.evaluate((input) => document.activeElement === input), true)
    assert.equal(await rate.getAttribute('aria-invalid'), 'true')
    await summary.getByRole('link', { name: 'Guard configuration' }).click()
    const guard = page.getByLabel('Guard configuration')
    assert.equal(await guard.evaluate((input) => document.activeElement === input), true)
    await visitor.check()
    await guard.fill('')
    await rate.fill('90')
    await page.getByText('need a correction').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await page.getByText('Saved revision').waitFor()
    assert.equal((await agents.get(id)).agent.rate_limit_requests_per_minute, 90)
  })

  it('asks before unsaved changes are left, and brings them back after a reload', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByLabel('Purpose').fill('Explains invoices, in two sentences')
    await page.getByRole('link', { name: 'History' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Your unsaved changes are back').waitFor()
    assert.equal(await page.getByLabel('Purpose').inputValue(), 'Explains invoices, in two sentences')
    await visitor.check()
    await page.getByRole('link', { name: 'History' }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL(/\/history$/)
  })

  it('writes the prompt on the full screen and compares it with the saved one', async () => {
    const visitor = await visit(browser, { theme: 'dark' })
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByRole('button', { name: 'Full screen' }).first().click()
    const editor = page.getByRole('textbox', { name: 'System prompt' })
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Answer in German.')
    await page.getByRole('button', { name: 'Compare with saved' }).click()
    await page.locator('.cm-deletedChunk').waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Close' }).click()
    assert.match(await page.getByLabel('Instruction').inputValue(), /Answer in German\.$/)
  })

  it('lets a viewer read, and says which permission saving needs', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`, 'viewer')
    await page.getByText('You can read this configuration, not change it').waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('readonly'), '')
    const save = page.getByRole('button', { name: 'Save' })
    assert.equal(await save.getAttribute('aria-disabled'), 'true')
    assert.match((await save.getAttribute('title')) ?? '', /agent:write/)
    await visitor.check()
  })
})
