import { DEMO_NAMES, DEMOS, type DemoName } from '../../dev/services/catalogue.ts'
import { type DemoService, type DemoServiceOptions, startDemoService } from '../../dev/services/server.ts'
import type { Settings } from '../../dev/services/services-file.ts'
import { startConsole, type TestConsole } from './console.ts'
import { startIssuer } from './issuer/issuer.ts'
import { writeServicesFile } from './services-file.ts'
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

const PATIENCE_MS = 20_000

/** Waits until the console has fetched the documents of the demonstration services: it starts without them. */
export async function waitForServices(apiUrl: string): Promise<void> {
  const wanted = DEMO_NAMES.flatMap((name) => DEMOS[name].prefixes)
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const { paths } = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as { paths: object }
    const there = Object.keys(paths)
    const missing = wanted.filter((prefix) => !there.some((path) => path.startsWith(prefix)))
    if (missing.length === 0) return
    if (Date.now() > deadline) throw new Error(`Nothing is mounted under ${missing.join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
