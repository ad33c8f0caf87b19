import { startIssuer } from '../../dev/issuer/issuer.ts'
import { waitForServices } from '../../dev/mounted.ts'
import { DEMO_NAMES, type DemoName } from '../../dev/services/catalogue.ts'
import { type DemoService, type DemoServiceOptions, startDemoService } from '../../dev/services/server.ts'
import { type Settings, writeServicesFile } from '../../dev/services/services-file.ts'
import { startConsole, type TestConsole } from './console.ts'
import { CONSOLE_NAME, signingEnvironment } from './signing.ts'

export interface ConsoleWithDemos {
  running: TestConsole
  services: Record<DemoName, DemoService>
  close: () => Promise<void>
}

/** A console with the demonstration services mounted, through their own documents. They accept its assertions only. */
export async function startConsoleWithDemos(settings?: Settings): Promise<ConsoleWithDemos> {
  const issuer = await startIssuer({ grants: false })
  let consoleUrl = ''
  const jwksUrl = () => new URL('/.well-known/jwks.json', consoleUrl)
  const services = await startDemos((name) => ({ issuer: CONSOLE_NAME, audience: name, jwksUrl }))
  const file = await writeServicesFile(services, settings)
  const stop = () =>
    Promise.all([...Object.values(services).map((service) => service.close()), file.remove()])
  try {
    const running = await startConsole({
      issuer,
      environment: { SERVICES_FILE: file.path, ...signingEnvironment() },
    })
    consoleUrl = running.url
    const close = async () => {
      await running.close()
      await stop()
    }
    await waitForServices(running.url)
    return { running, services, close }
  } catch (error) {
    await Promise.all([stop(), issuer.close()])
    throw error
  }
}

/** One of each. */
export async function startDemos(
  optionsOf: (name: DemoName) => DemoServiceOptions,
): Promise<Record<DemoName, DemoService>> {
  const started = await Promise.all(
    DEMO_NAMES.map(async (name) => [name, await startDemoService(name, optionsOf(name))] as const),
  )
  return Object.fromEntries(started) as Record<DemoName, DemoService>
}
