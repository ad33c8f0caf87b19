import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launch, open, visit } from './support/browser.ts'
import { agentId, colleague } from './support/colleague.ts'
import { startWorldWithServices, type WorldWithServices } from './support/services.ts'

/** The ten most frequent tasks and what is seldom seen, with a picture after each step, for people to look at. */
const FOLDER = join(import.meta.dirname, '../screenshots/walk')

interface Task {
  name: string
  path: (agent: string) => string
  steps: ((page: Page, world: WorldWithServices) => Promise<unknown>)[]
  /** 1440 unless told. */
  width?: number
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

const TASKS: Task[] = [
  {
    name: 'find-an-agent',
    path: () => '/agents',
    steps: [
      (page) => page.keyboard.press('/'),
      (page) => page.keyboard.type('order'),
      (page) => page.waitForURL(/q=order/),
    ],
  },
  {
    name: 'filter-and-save-a-view',
    path: () => '/agents',
    steps: [
      (page) => page.getByRole('checkbox', { name: /^Unprotected/ }).check(),
      (page) => button(page, 'Save view').click(),
      (page) => page.getByLabel('Name', { exact: true }).fill('Without a guard'),
      (page) => page.keyboard.press('Enter'),
    ],
  },
  {
    name: 'change-an-agent',
    path: (agent) => `${agent}/configuration`,
    steps: [
      (page) => page.getByLabel('Purpose').fill('Answers where an order is'),
      (page) => page.keyboard.press('Control+s'),
      (page) => page.getByText('Saved revision').waitFor(),
    ],
  },
  {
    name: 'compare-and-restore',
    path: (agent) => `${agent}/history?a=3&b=7`,
    steps: [(page) => button(page, /^Restore revision/).click()],
  },
  {
    name: 'reveal-a-secret',
    path: (agent) => `${agent}/secrets`,
    steps: [(page) => button(page, 'Reveal for 30 s').click()],
  },
  {
    name: 'move-a-stage',
    path: (agent) => agent,
    steps: [
      (page) => page.keyboard.press('m'),
      (page) => page.keyboard.press('ArrowDown'),
      (page) => page.keyboard.press('Enter'),
    ],
  },
  {
    name: 'change-many',
    path: () => '/agents',
    steps: [
      (page) => page.getByRole('checkbox', { name: 'Select the agents that are loaded' }).check(),
      (page) => button(page, 'Move stage').click(),
      (page) => page.getByRole('radio', { name: 'Hardened' }).check(),
    ],
  },
  {
    name: 'create-an-agent',
    path: () => '/agents/new',
    steps: [
      (page) => page.getByLabel('Name', { exact: true }).fill('Parts lookup'),
      (page) => page.getByRole('combobox', { name: /^Model/ }).fill('gpt-5.4'),
      (page) => button(page, 'Create agent').click(),
      (page) => page.waitForURL(/agents\/[0-9a-f-]{36}/),
    ],
  },
  {
    name: 'jump-anywhere',
    path: () => '/lifecycle',
    steps: [(page) => page.keyboard.press('Control+k'), (page) => page.keyboard.type('inv')],
  },
  {
    name: 'see-who-did-it',
    path: () => '/audit',
    steps: [
      (page) => page.getByRole('button', { name: 'Action', exact: true }).click(),
      (page) => button(page, 'Secrets revealed').click(),
      (page) => page.getByRole('table').getByRole('button').first().click(),
    ],
  },
  {
    name: 'resolve-a-conflict',
    path: (agent) => `${agent}/configuration`,
    steps: [
      (page) => page.getByLabel('Rate limit').fill('900'),
      async (_page, world) =>
        colleague(world).agents.update(
          agentId(world, 'concierge'),
          { rate_limit_requests_per_minute: 60, purpose: 'Answers questions about orders' },
          { reason: 'After the incident' },
        ),
      (page) => button(page, 'Review and rebase').click(),
      (page) => button(page, 'Compare side by side').click(),
    ],
  },
  {
    name: 'see-a-fault',
    path: (agent) => `${agent}/configuration`,
    steps: [(page) => page.getByLabel('Rate limit').fill('1.5'), (page) => page.keyboard.press('Control+s')],
  },
  {
    name: 'look-into-a-service',
    path: () => '/services',
    steps: [
      async (page, world) => {
        await world.services.protection.stop()
        await page.getByText('needs attention').waitFor({ timeout: 60_000 })
      },
      (page) => button(page, /^protection/).click(),
      async (_page, world) => world.services.protection.resume(),
    ],
  },
  {
    name: 'delete-an-agent',
    path: (agent) => agent,
    steps: [
      (page) => button(page, 'More').click(),
      (page) => page.getByRole('menuitem', { name: /^Delete/ }).click(),
    ],
  },
  ...['/agents', '/lifecycle', '/audit', '/services'].map((path) => ({
    ...{ name: `narrow${path.replace('/', '-')}`, path: () => path, steps: [], width: 1000 },
  })),
  ...['', '/configuration', '/history?a=3&b=7', '/delegation'].map((tab) => ({
    ...{ name: `narrow-agent-${tab.split(/[/?]/)[1] ?? 'overview'}`, width: 1000 },
    ...{ path: (agent: string) => `${agent}${tab}`, steps: [] },
  })),
  {
    name: 'phone-filters',
    ...{ path: () => '/agents', width: 390 },
    steps: [
      (page) => button(page, /^Filter/).click(),
      (page) => page.getByRole('checkbox', { name: /^Unprotected/ }).check(),
      (page) => page.keyboard.press('Escape'),
    ],
  },
]

await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const world = await startWorldWithServices(true)
const browser = await launch()
try {
  const agent = `/agents/${agentId(world, 'concierge')}`
  for (const [number, { name, path, steps, width = 1440 }] of TASKS.entries()) {
    if (!`${number + 1}-${name}`.includes(process.argv[2] ?? '')) continue
    const visitor = await visit(browser, { width, height: 900 })
    const { page } = visitor
    await open(visitor, world, path(agent))
    for (const [index, act] of [() => page.waitForTimeout(500), ...steps].entries()) {
      await act(page, world)
      await page.waitForTimeout(400)
      await page.screenshot({ path: join(FOLDER, `${number + 1}-${name}-${index}.png`) })
    }
    process.stdout.write(`${name}\n`)
    await visitor.context.close()
  }
} finally {
  await browser.close()
  await world.close()
}
