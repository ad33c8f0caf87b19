import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { NO_BROWSER, useBrowser } from '../support/browser.ts'
import { useConsole } from '../support/console.ts'

describe('a browser', { skip: NO_BROWSER }, async () => {
  const running = await useConsole()
  const browser = await useBrowser()

  /** Opens a path and collects violations of the policy, errors, and requests to other servers. */
  const open = async (path: string, viewport = { width: 1280, height: 900 }) => {
    const page = await browser.newPage({ viewport })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== running.url && protocol !== 'data:') complaints.push(`request to ${request.url()}`)
    })
    await page.goto(running.url + path)
    return { page, complaints }
  }
  const hasNoSidewaysScroll = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')

  it('shows the landing page with its styles, on a phone too', async () => {
    const { page, complaints } = await open('/', { width: 360, height: 700 })
    assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^Agent Console\s+\d+\.\d+\.\d+$/)
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('nav')).display"), 'grid')
    assert.ok(await hasNoSidewaysScroll(page))
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.waitForURL('**/docs')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('shows an operation of the reference, with the host and a bearer token in the code', async () => {
    const { page, complaints } = await open('/docs#tag/agents/POST/v1/agent-configurations')
    await page.getByRole('heading', { name: 'Create Agent Configuration' }).first().waitFor()
    const code = page.locator('pre, code').filter({ hasText: 'curl' }).first()
    await code.waitFor()
    const text = await code.innerText()
    assert.ok(text.includes(`${running.url}/v1/agent-configurations`), text)
    assert.match(text, /Authorization: Bearer/)
    assert.ok(await page.getByText('Selected Auth Type: bearer').first().isVisible())
    assert.deepEqual(complaints, [])
    await page.close()
  })
})
