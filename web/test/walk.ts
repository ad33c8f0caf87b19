import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launch, open, visit } from './support/browser.ts'
import { agentId } from './support/colleague.ts'
import { startWorldWithServices } from './support/services.ts'

/** The ten most frequent tasks, with a picture after each step, for people to look at. */
const FOLDER = join(import.meta.dirname, '../screenshots/walk')

interface Task {
  name: string
  path: (agent: string) => string
  steps: ((page: Page) => Promise<unknown>)[]
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
    ],
  },
]

await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const world = await startWorldWithServices(true)
const browser = await launch()
try {
  const agent = `/agents/${agentId(world, 'concierge')}`
  for (const [number, { name, path, steps }] of TASKS.entries()) {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, path(agent))
    for (const [index, act] of [() => page.waitForTimeout(500), ...steps].entries()) {
      await act(page)
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
