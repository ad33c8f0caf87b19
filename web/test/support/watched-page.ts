import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Collects what no journey may cause: messages in the console of the browser, such as violations of the policy. A page
 * that writes none cannot write a secret there. */
export function watch(page: Page): string[] {
  const faults: string[] = []
  page.on('console', (message) => {
    // A response with an error status is written there, too; journeys provoke such responses.
    if (!message.text().startsWith('Failed to load resource')) {
      faults.push(`${message.type()}: ${message.text()}`)
    }
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
  return faults
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** Findings of axe, WCAG 2.2 A and AA, on the page as it is now. The policy refuses a script element. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(AXE)
  // Guards of the focus at the ends of a popup: they are focusable on purpose and pass the focus on.
  const context = `{ exclude: ['[data-base-ui-focus-guard]'] }`
  const run = `axe.run(${context}, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })`
  const { violations } = (await page.evaluate(run)) as AxeResult
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
  )
}

/** No part of the secret may be in storage, in the address or in the document. */
export async function assertNowhere(page: Page, context: BrowserContext, secret: string): Promise<void> {
  const kept = await page.evaluate(() =>
    JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      location.href,
      document.documentElement.outerHTML,
    ]),
  )
  assert.equal(kept.includes(secret), false, 'the secret is in storage, address or document')
  const cookies = JSON.stringify(await context.cookies())
  assert.equal(cookies.includes(secret), false, 'the secret is in a cookie')
}

/** The token of the user is the secret that every journey has. */
export async function assertNoTokenKept(page: Page): Promise<void> {
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
  )
  assert.doesNotMatch(kept, /eyJ[\w-]{20}/, 'a token is in storage or in the address')
}
