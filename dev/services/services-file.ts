import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEMO_NAMES, DEMOS, type DemoName } from './catalogue.ts'

/** What can be seen at once is more use in development than what costs little. */
const SETTINGS = { poll_seconds: 2, sample_ratio: 1 }

/** Writes the SERVICES_FILE that mounts the demonstration services. */
export async function writeServicesFile(at: Record<DemoName, { url: string }>, settings: object = SETTINGS) {
  const folder = await mkdtemp(join(tmpdir(), 'console-services-'))
  const path = join(folder, 'services.json')
  const services = DEMO_NAMES.map((name) => {
    const { tag, prefixes } = DEMOS[name]
    return { name, tag, url: at[name].url, prefixes, ...settings }
  })
  await writeFile(path, `${JSON.stringify({ services }, null, 2)}\n`)
  return { path, remove: () => rm(folder, { recursive: true }) }
}
