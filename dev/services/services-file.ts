import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEMO_NAMES, DEMOS, type DemoName } from './catalogue.ts'

/** Further fields of the entry of each service. */
export type Settings = (name: DemoName) => object

/** What can be seen at once is more use in development than what costs little. */
const settingsOfAll = () => ({ poll_seconds: 2 })

/** Of their calls to agents. */
const PRIORITIES: Partial<Record<DemoName, string>> = {
  evaluation: 'evaluation',
  protection: 'protection',
  'red-team': 'red_team',
}

/** The content of the SERVICES_FILE that mounts the demonstration services. */
export function servicesFile(urlOf: (name: DemoName) => string, settings: Settings = settingsOfAll): object {
  const services = DEMO_NAMES.map((name) => {
    const { tag, prefixes } = DEMOS[name]
    const priority = PRIORITIES[name]
    const entry = { name, tag, url: urlOf(name), token: 'assert', prefixes, ...settings(name) }
    return priority ? { ...entry, budget_priority: priority } : entry
  })
  return { services }
}

/** Writes it to a temporary folder. */
export async function writeServicesFile(at: Record<DemoName, { url: string }>, settings?: Settings) {
  const folder = await mkdtemp(join(tmpdir(), 'console-services-'))
  const path = join(folder, 'services.json')
  await writeFile(path, JSON.stringify(servicesFile((name) => at[name].url, settings)))
  return { path, remove: () => rm(folder, { recursive: true }) }
}
