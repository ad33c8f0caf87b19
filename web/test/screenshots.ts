import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Console } from '@agent-console/sdk'
import type { Browser, Page } from 'playwright-core'
import { launch, loaded, open, visit } from './support/browser.ts'
import { agentId } from './support/colleague.ts'
import { startWorldWithServices } from './support/services.ts'
import type { World } from './support/world.ts'

/**
 * Every page in both themes at 1440, 1024 and 390 px, for people to look at: the window, and with `-full` the whole page
 * if it is longer. Names as arguments choose some of them.
 */
const FOLDER = join(import.meta.dirname, '../screenshots')
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
]

function pagesOf(world: World): Record<string, string> {
  const agent = `/agents/${agentId(world, 'concierge')}`
  return {
    fleet: '/agents',
    palette: '/agents',
    'fleet-no-match': '/agents?q=no-such-agent',
    create: '/agents/new',
    overview: agent,
    configuration: `${agent}/configuration`,
    secrets: `${agent}/secrets`,
    'secrets-revealed': `${agent}/secrets`,
    history: `${agent}/history?a=3&b=7`,
    scores: `${agent}/scores`,
    delegation: `${agent}/delegation`,
    activity: `${agent}/activity`,
    evolution: `${agent}/evolution`,
    lifecycle: '/lifecycle',
    services: '/services',
    audit: '/audit',
  }
}

/** Agents that hand work to each other, so that the graph has something to show. */
async function delegate(world: World): Promise<void> {
  const { agents } = new Console({ baseUrl: world.url, token: () => world.tokenOf('administrator') })
  const hands = { concierge: ['returns', 'translator'], returns: ['invoices', 'dispatcher'] }
  for (const [from, receivers] of Object.entries(hands)) {
    const { revision } = await agents.get(agentId(world, from))
    const delegated = await Promise.all(
      receivers.map(async (key) => {
        const { agent } = await agents.get(agentId(world, key))
        return { agent_id: agent.id, name: agent.agent_name }
      }),
    )
    await agents.update(agentId(world, from), { delegated_agents: delegated }, { ifRevision: revision })
  }
}

/** Waits for what is loading; the pages never rest, because they watch for changes. */
async function settle(page: Page): Promise<void> {
  await loaded(page)
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(700)
}

/** What is done on a page before its picture. */
const ACTS: Record<string, (page: Page) => Promise<void>> = {
  palette: async (page) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('tra')
    await page.getByRole('option', { name: /Travel planner/ }).waitFor()
  },
  'secrets-revealed': async (page) => {
    await page.getByRole('button', { name: 'Reveal for 30 s' }).first().click()
    await page.getByRole('button', { name: /^Hide/ }).first().waitFor()
  },
  /** Leaves edits unsaved, so that the page shows what saving changes. */
  configuration: async (page) => {
    await page.getByLabel('Purpose').fill('Answers where an order is, in the shop, in the app and by phone')
    await page.getByLabel('Rate limit').fill('900')
    await page.getByLabel('Rate limit').blur()
  },
}

async function shoot(browser: Browser, world: World, names: readonly string[]): Promise<void> {
  const pages = Object.entries(pagesOf(world)).filter(([name]) => names.length === 0 || names.includes(name))
  for (const theme of ['light', 'dark'] as const) {
    for (const size of SIZES) {
      const visitor = await visit(browser, { ...size, theme })
      const { page } = visitor
      page.setDefaultTimeout(120_000)
      for (const [name, path] of pages) {
        await page.setViewportSize(size)
        await open(visitor, world, path)
        await settle(page)
        await ACTS[name]?.(page)
        const file = join(FOLDER, `${name}-${theme}-${size.width}`)
        await page.screenshot({ path: `${file}.png` })
        process.stdout.write(`${file}.png\n`)
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        if (height <= size.height) continue
        // A taller window, because what sticks to its edge would otherwise stand in the middle of the picture.
        await page.setViewportSize({ ...size, height })
        await settle(page)
        await page.screenshot({ path: `${file}-full.png` })
      }
      await visitor.context.close()
    }
  }
}

await mkdir(FOLDER, { recursive: true })
const world = await startWorldWithServices(true)
const browser = await launch()
try {
  await delegate(world)
  await shoot(browser, world, process.argv.slice(2))
} finally {
  await browser.close()
  await world.close()
}
