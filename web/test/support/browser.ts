import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { DemoPerson } from '../../../dev/issuer/people.ts'
import { closeAfter } from '../../../test/support/close-after.ts'
import { assertNoTokenKept, axeFindings, watch } from './watched-page.ts'
import type { World } from './world.ts'

export interface BrowserOptions {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
}

export interface Visitor {
  page: Page
  context: BrowserContext
  /** Fails on messages in the browser's console, violations of the policy, a token in storage, and findings of axe on
   * the page as it is now. */
  check: () => Promise<void>
}

export async function launch(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  // The sandbox of Chromium does not start as root, and only pages of this project are loaded.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}

/** Waits until nothing on the page says that it is loading. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role="status"]')].every(
      (status) => !status.textContent.startsWith('Loading '),
    ),
  )
}

/** A browser for the tests of the calling suite. Windows are closed after each test: a page that stays open works on. */
export async function useBrowser(): Promise<Browser> {
  const browser = await launch()
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  })
  closeAfter(() => browser.close())
  return browser
}

/** A browser window of its own, as of another person: without cookies and storage. */
export async function visit(browser: Browser, options: BrowserOptions = {}): Promise<Visitor> {
  const { width = 1440, height = 900, theme = 'light' } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    hasTouch: width < 768,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  const faults = watch(page)
  return {
    page,
    context,
    check: async () => {
      await loaded(page)
      assert.deepEqual(faults, [])
      assert.deepEqual(await axeFindings(page), [])
      await assertNoTokenKept(page)
    },
  }
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** Sessions at the issuers, by world and person. */
const sessions = new Map<string, Cookies>()

/** Opens a page of the console. The issuer asks for the person once in a suite; later windows bring that session. */
export async function open(
  { page, context }: Visitor,
  world: World,
  path: string,
  person: DemoPerson['key'] = 'administrator',
): Promise<void> {
  const key = `${world.url} ${person}`
  const session = sessions.get(key)
  if (session !== undefined && (await context.cookies()).length === 0) await context.addCookies(session)
  await page.goto(`${world.url}/console${path}`)
  const choice = page.locator(`button[value="${person}"]`)
  const failed = page.locator('#root').getByRole('heading', { level: 1 }).filter({ hasNotText: 'Signing in' })
  const app = page.getByRole('navigation', { name: 'Console' }).or(failed)
  await choice.or(app).first().waitFor()
  if (await choice.isVisible()) await choice.click()
  await app.first().waitFor()
  if (session === undefined) sessions.set(key, await context.cookies())
}
