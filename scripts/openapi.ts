import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { openCore } from '../src/core.ts'

/** Generates the documents, by file name. Opens no connection: the addresses are placeholders. */
export async function generateDocuments(): Promise<Record<string, string>> {
  const config = readConfig({
    DATABASE_URL: 'postgres://127.0.0.1/unused',
    AUTH_ISSUER: 'http://127.0.0.1/unused',
    AUTH_AUDIENCE: 'unused',
    SECRETS_KEYS: `unused:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
  })
  const app = await buildApp(openCore(config))
  await app.ready()
  const { payload: events } = await app.inject('/asyncapi.json')
  const documents = { 'openapi.json': app.swagger(), 'asyncapi.json': JSON.parse(events) as object }
  await app.close()
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => [file, `${JSON.stringify(document, null, 2)}\n`]),
  )
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(await generateDocuments())) {
    await writeFile(new URL(`../${file}`, import.meta.url), text)
  }
}
