import { writeFile } from 'node:fs/promises'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createDeps } from '../src/deps.ts'

const FILE = new URL('../openapi.json', import.meta.url)

/** The document as the code declares it. Nothing is connected to: the addresses are never used. */
export async function generateDocument(): Promise<string> {
  const config = readConfig({
    DATABASE_URL: 'postgres://127.0.0.1/unused',
    AUTH_ISSUER: 'http://127.0.0.1/unused',
    AUTH_AUDIENCE: 'unused',
    SECRETS_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
  })
  const app = await buildApp(createDeps(config))
  await app.ready()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

if (import.meta.main) await writeFile(FILE, await generateDocument())
