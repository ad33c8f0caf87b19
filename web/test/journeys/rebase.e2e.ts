import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { agentId, colleague } from '../support/colleague.ts'
import { useWorld } from '../support/world.ts'

const PROMPT =
  'You answer questions about invoices.\nBe brief.\nNever promise a refund.\nEnd with the number.'

describe('two people edit one agent', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const { agents } = colleague(world)
  const id = agentId(world, 'invoices')

  it('offers to rebase, merges what does not overlap and asks only for the rest', async () => {
    const start = { agent_system_prompt: PROMPT, agent_params: { max_tokens: 2048 }, purpose: 'Invoices' }
    const { revision } = await agents.update(id, start)
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.locator('#f-agent-params-max-tokens').fill('4096')
    const prompt = page.locator('#f-agent-system-prompt')
    await prompt.fill(PROMPT.replace('Be brief.', 'Use four sentences.'))
    await agents.update(
      id,
      {
        agent_params: { max_tokens: 1024 },
        agent_system_prompt: `${PROMPT}\nAnswer in German.`,
        rate_limit_requests_per_minute: 60,
      },
      { reason: 'After the incident' },
    )

    // The event of the other user leaves the form alone.
    await page.getByRole('button', { name: 'Review and rebase' }).click()
    assert.equal(await page.locator('#f-agent-params-max-tokens').inputValue(), '4096')
    const panel = page.getByRole('region', { name: 'Conflict' })
    await panel.getByText('reason “After the incident”').waitFor()
    await panel.getByText('Both, merged').waitFor()
    await visitor.check()
    const rebase = panel.getByRole('button', { name: `Rebase my edits on revision ${revision + 1}` })
    assert.equal(await rebase.getAttribute('aria-disabled'), 'true')
    await panel.getByRole('radio', { name: 'Max tokens, mine: 4096' }).check()
    await rebase.click()
    await panel.waitFor({ state: 'detached' })
    assert.equal(await page.locator('#f-rate-limit-requests-per-minute').inputValue(), '60')
    await page.getByRole('button', { name: `Save revision ${revision + 2}` }).click()
    await page.getByText(`Saved revision ${revision + 2}`).waitFor()

    const { agent } = await agents.get(id)
    assert.deepEqual(agent.agent_params, { max_tokens: 4096 })
    assert.equal(agent.rate_limit_requests_per_minute, 60)
    const merged = PROMPT.replace('Be brief.', 'Use four sentences.')
    assert.equal(agent.agent_system_prompt, `${merged}\nAnswer in German.`)
    await visitor.check()
  })

  it('shows the newer revision after a refused save, without losing text', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.locator('#f-purpose').fill('Mine')
    // Without events the page learns of the other change only when the save is refused.
    await page.route('**/v1/**/events**', (route) => route.abort())
    await page.route('**/v1/events**', (route) => route.abort())
    const refused = page.waitForResponse((response) => response.status() === 412)
    await page.route('**/v1/agent-configurations/*', async (route) => {
      if (route.request().method() === 'PUT') await agents.update(id, { purpose: 'Theirs' })
      await route.continue()
    })
    await page.keyboard.press('Control+s')
    await refused
    const panel = page.getByRole('region', { name: 'Conflict' })
    await panel.getByText('412').waitFor()
    assert.equal(await page.locator('#f-purpose').inputValue(), 'Mine')
    await panel.getByRole('button', { name: 'Compare side by side' }).click()
    await page.getByRole('dialog', { name: 'My edits and theirs' }).waitFor()
    await visitor.check()
    await page.keyboard.press('Escape')
    await panel.getByRole('radio', { name: 'Purpose, theirs: Theirs' }).check()
    await panel.getByRole('button', { name: 'Rebase my edits' }).click()
    assert.equal(await page.locator('#f-purpose').inputValue(), 'Theirs')
    await page.getByText('nothing yet').waitFor()
    await visitor.check()
  })

  it('brings a draft back on its own revision, and offers to rebase it', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.locator('#f-purpose').fill('Drafted')
    await page.getByText('1 field', { exact: true }).waitFor()
    await page.goto('about:blank')
    const { revision } = await agents.update(id, { hub: 'openai' })
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.getByText('Your unsaved changes are back').waitFor()
    await page.getByRole('button', { name: 'Review and rebase' }).click()
    await page.getByRole('button', { name: `Rebase my edits on revision ${revision}` }).click()
    await page.getByRole('button', { name: `Save revision ${revision + 1}` }).click()
    await page.getByText(`Saved revision ${revision + 1}`).waitFor()
    const { agent } = await agents.get(id)
    assert.deepEqual([agent.purpose, agent.hub], ['Drafted', 'openai'])
    await visitor.check()
  })

  it('takes over the change of another user while nothing is edited', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/configuration`)
    await page.locator('#f-purpose').waitFor()
    await page
      .getByRole('navigation', { name: 'Console', exact: true })
      .getByText('Live', { exact: true })
      .waitFor()
    await agents.update(id, { purpose: 'Changed by a colleague' })
    await page.locator('#f-purpose', { hasText: 'Changed by a colleague' }).waitFor()
    await visitor.check()

    await page.getByRole('button', { name: 'Full screen' }).first().click()
    const editor = page.getByRole('textbox', { name: 'System prompt' })
    // A text area stands in its place until it has loaded.
    await page.locator('.cm-content').waitFor()
    await editor.press('Control+End')
    await agents.update(id, { agent_system_prompt: 'By a colleague.\nEnd with the number.' })
    await editor.getByText('By a colleague.').waitFor()
    await page.keyboard.press('Control+z')
    await page.keyboard.type(' And the date.')
    await page.getByRole('button', { name: 'Close' }).click()
    assert.equal(
      await page.locator('#f-agent-system-prompt').inputValue(),
      'By a colleague.\nEnd with the number. And the date.',
    )
    await visitor.check()
  })
})
