import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launch, open, visit } from './support/browser.ts'
import { startWorld, type World } from './support/world.ts'

/** Every page in both themes at 1440 and 390 px, for people to look at. Names as arguments choose some of them. */
const FOLDER = join(import.meta.dirname, '../screenshots')
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

function pagesOf({ agents }: World): Record<string, string> {
  const agent = `/agents/${agents['invoices']}`
  return {
    fleet: '/agents',
    'fleet-no-match': '/agents?query=no-such-agent',
    create: '/agents/new',
    overview: agent,
    configuration: `${agent}/configuration`,
    secrets: `${agent}/secrets`,
    history: `${agent}/history`,
    scores: `${agent}/scores`,
    delegation: `${agent}/delegation`,
    activity: `${agent}/activity`,
    evolution: `${agent}/evolution`,
    lifecycle: '/lifecycle',
    services: '/services',
    audit: '/audit',
    components: '/components',
  }
}

async function shoot(browser: Browser, world: World, names: readonly string[]): Promise<void> {
  const pages = Object.entries(pagesOf(world)).filter(([name]) => names.length === 0 || names.includes(name))
  for (const theme of ['light', 'dark'] as const) {
    for (const size of SIZES) {
      const visitor = await visit(browser, { ...size, theme })
      for (const [name, path] of pages) {
        await open(visitor, world, path)
        await visitor.page.waitForLoadState('networkidle').catch(() => undefined)
        const file = join(FOLDER, `${name}-${theme}-${size.width}.png`)
        await visitor.page.screenshot({ path: file, fullPage: true })
        process.stdout.write(`${file}\n`)
      }
      await visitor.context.close()
    }
  }
}

await mkdir(FOLDER, { recursive: true })
const world = await startWorld()
const browser = await launch()
try {
  await shoot(browser, world, process.argv.slice(2))
} finally {
  await browser.close()
  await world.close()
}
