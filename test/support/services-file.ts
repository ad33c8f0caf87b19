import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DemoName } from '../../dev/services/catalogue.ts'
import { type Settings, servicesFile } from '../../dev/services/services-file.ts'

/** Writes the SERVICES_FILE of running demonstration services to a temporary folder. */
export async function writeServicesFile(at: Record<DemoName, { url: string }>, settings?: Settings) {
  const folder = await mkdtemp(join(tmpdir(), 'console-services-'))
  const path = join(folder, 'services.json')
  await writeFile(path, JSON.stringify(servicesFile((name) => at[name].url, settings)))
  return { path, remove: () => rm(folder, { recursive: true }) }
}
