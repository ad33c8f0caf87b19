import { DEMO_NAMES, DEMOS } from './services/catalogue.ts'

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
