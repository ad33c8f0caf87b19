import { sendToConfigured } from '../../src/platform/outbound/configured.ts'
import { type Context, ok, problem, type Result, skipped } from './finding.ts'
import { explain } from './issuer.ts'

const LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024 }

/** Whether the evolution service and the documents of services can be reached. */
export async function checkUpstreams({ config: { evolution, services } }: Context): Promise<Result[]> {
  const upstreams = [
    // Any response will do: the service has no document that the console reads.
    ...(evolution ? [{ name: 'the evolution service', url: evolution.url, needsDocument: false }] : []),
    ...services.map(({ name, documentUrl }) => ({
      name: `the document of ${name}`,
      url: documentUrl,
      needsDocument: true,
    })),
  ]
  if (upstreams.length === 0) return [skipped('neither EVOLUTION_URL nor SERVICES_FILE is set')]
  return Promise.all(
    upstreams.map(async ({ name, url, needsDocument }) => {
      try {
        const { status } = await sendToConfigured(url, LIMITS)
        if (needsDocument && status !== 200) throw new Error(`status ${status}`)
        return ok(`${name} responds`)
      } catch (error) {
        return problem(
          `${name} cannot be reached: ${explain(error as Error)}.`,
          'Check its URL, its certificate and the network policy.',
        )
      }
    }),
  )
}
