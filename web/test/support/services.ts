import type { DemoName } from '../../../dev/services/catalogue.ts'
import type { DemoService } from '../../../dev/services/server.ts'
import { closeAfter } from '../../../test/support/close-after.ts'
import { startDemos, waitForServices } from '../../../test/support/demos.ts'
import { writeServicesFile } from '../../../test/support/services-file.ts'
import { CONSOLE_NAME, signingEnvironment } from '../../../test/support/signing.ts'
import { startWorld, type World } from './world.ts'

export interface WorldWithServices extends World {
  services: Record<DemoName, DemoService>
}

/** A world with the demonstration services mounted. */
export async function startWorldWithServices(fleet: boolean): Promise<WorldWithServices> {
  let consoleUrl = ''
  const jwksUrl = () => new URL('/.well-known/jwks.json', consoleUrl)
  const services = await startDemos((name) => ({ issuer: CONSOLE_NAME, audience: name, jwksUrl }))
  const file = await writeServicesFile(services)
  const world = await startWorld({
    fleet,
    environment: { SERVICES_FILE: file.path, ...signingEnvironment() },
  })
  consoleUrl = world.url
  const close = async (): Promise<void> => {
    await world.close()
    await Promise.all([...Object.values(services).map((service) => service.close()), file.remove()])
  }
  await waitForServices(world.url)
  return { ...world, services, close }
}

/** The same, without agents, for the tests of the calling suite. */
export async function useWorldWithServices(): Promise<WorldWithServices> {
  const world = await startWorldWithServices(false)
  closeAfter(world.close)
  return world
}
