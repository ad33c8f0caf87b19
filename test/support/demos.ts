import { type Issuer, startIssuer } from '../../dev/issuer/issuer.ts'
import { waitForServices } from '../../dev/mounted.ts'
import { DEMO_NAMES, type DemoName } from '../../dev/services/catalogue.ts'
import { type DemoService, startDemoService } from '../../dev/services/server.ts'
import { writeServicesFile } from '../../dev/services/services-file.ts'
import { startConsole, type TestConsole } from './console.ts'

export interface ConsoleWithDemos {
  running: TestConsole
  services: Record<DemoName, DemoService>
  close: () => Promise<void>
}

/** A console with the demonstration services mounted, through their own documents. */
export async function startConsoleWithDemos(settings?: object): Promise<ConsoleWithDemos> {
  const issuer = await startIssuer({ grants: false })
  const services = await startDemos(issuer)
  const file = await writeServicesFile(services, settings)
  const stop = () =>
    Promise.all([...Object.values(services).map((service) => service.close()), file.remove()])
  try {
    const running = await startConsole({ issuer, environment: { SERVICES_FILE: file.path } })
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

/** One of each, for tokens of this issuer. */
export async function startDemos({ url, audience }: Issuer): Promise<Record<DemoName, DemoService>> {
  const started = await Promise.all(
    DEMO_NAMES.map(async (name) => [name, await startDemoService(name, { issuer: url, audience })] as const),
  )
  return Object.fromEntries(started) as Record<DemoName, DemoService>
}
