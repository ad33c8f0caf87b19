import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { webClientId } from '../../dev/issuer/client.ts'
import { NO_BROWSER, useBrowser } from '../support/browser.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { startIssuer } from '../support/issuer/issuer.ts'

/** In the page. The types of the DOM are not loaded here. */
declare const location: { href: string }

const VERIFIER = 'v'.repeat(43)

describe('signing in with a browser', { skip: NO_BROWSER }, async () => {
  if (NO_BROWSER) return
  const folder = mkdtempSync(join(tmpdir(), 'console-web-'))
  closeAfter(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><title>The page of the console</title>',
  )
  const issuer = await startIssuer()
  const running = await useConsole({
    issuer,
    environment: { WEB_CLIENT_ID: webClientId, WEB_FOLDER: folder },
  })
  issuer.registerConsole(running.url)
  const browser = await useBrowser()
  const callback = `${running.url}/console/auth/callback`

  const signInUrl = (parameters: Record<string, string> = {}) => {
    const all = {
      ...{ client_id: webClientId, response_type: 'code', scope: 'openid profile agent:read' },
      ...{ redirect_uri: callback, code_challenge_method: 'S256' },
      ...{ code_challenge: hash('sha256', VERIFIER, 'base64url'), ...parameters },
    }
    return `${issuer.url}/auth?${new URLSearchParams(all).toString()}`
  }

  /** What the script of the console does with the code: a request from the page, so the policy and CORS apply. */
  const redeem = (page: Page): Promise<{ name: string; id_token: string }> =>
    page.evaluate(
      async ({ token, form }) => {
        const code = new URL(location.href).searchParams.get('code') ?? ''
        const response = await fetch(token, { method: 'POST', body: new URLSearchParams({ ...form, code }) })
        const { id_token } = (await response.json()) as { id_token: string }
        const { name } = JSON.parse(atob(id_token.split('.')[1] ?? '')) as { name: string }
        return { name, id_token }
      },
      {
        token: `${issuer.url}/token`,
        form: {
          ...{ grant_type: 'authorization_code', client_id: webClientId, redirect_uri: callback },
          code_verifier: VERIFIER,
        },
      },
    )

  const newPage = async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', ({ message }) => messages.push(message))
    return { page, messages }
  }

  it('takes one click, is remembered, and another person can take over', async () => {
    const { page, messages } = await newPage()
    await page.goto(signInUrl())
    await page.getByRole('button', { name: 'Jun Takeda' }).click()
    await page.waitForURL(`${callback}?*`)
    assert.equal(await page.title(), 'The page of the console')
    assert.equal((await redeem(page)).name, 'Jun Takeda')

    await page.goto(signInUrl())
    assert.ok(page.url().startsWith(`${callback}?`), 'no question the second time')

    await page.goto(signInUrl({ prompt: 'login' }))
    await page.getByRole('button', { name: 'Sander Vis' }).click()
    await page.waitForURL(`${callback}?*`)
    assert.equal((await redeem(page)).name, 'Sander Vis')
    assert.deepEqual(messages, [])
    await page.context().close()
  })

  it('ends by signing out without a further click', async () => {
    const { page, messages } = await newPage()
    await page.goto(signInUrl())
    await page.getByRole('button', { name: 'Priya Raghunathan' }).click()
    await page.waitForURL(`${callback}?*`)
    const { id_token: hint } = await redeem(page)
    const signedOut = `${running.url}/console/signed-out`
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: signedOut }).toString()
    await page.goto(`${issuer.url}/session/end?${query}`)
    await page.waitForURL(signedOut)
    await page.goto(signInUrl())
    assert.equal(await page.title(), 'Sign in')
    assert.deepEqual(messages, [])
    await page.context().close()
  })
})
