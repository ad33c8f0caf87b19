import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PERMISSIONS } from '../contract/permissions.ts'
import { parseText, parseUri } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'

export interface WebConfig {
  /** The public client of the browser console at the issuer. */
  readonly clientId: string
  readonly scope: string
  /** The resource indicator (RFC 8707) that it sends to the issuer. */
  readonly resource: string | undefined
  /** What `npm run build:web` writes. */
  readonly folder: string
}

/** `profile` gives the console a name to show, the permissions are what a person may get at most. */
const WEB_SCOPE = ['openid', 'profile', 'email', ...PERMISSIONS].join(' ')

export function readWeb({ read, readOptional, refuse }: Reader): WebConfig | undefined {
  const clientId = readOptional('WEB_CLIENT_ID', parseText)
  const web = {
    scope: read('WEB_SCOPE', parseText, WEB_SCOPE),
    resource: readOptional('WEB_RESOURCE', parseUri),
    folder: read('WEB_FOLDER', parseText, fileURLToPath(new URL('../../web/dist', import.meta.url))),
  }
  if (clientId === undefined) return undefined
  if (!existsSync(join(web.folder, 'index.html'))) {
    refuse(`WEB_CLIENT_ID is set, but ${web.folder} has no index.html; run npm run build:web`)
  }
  return { clientId, ...web }
}
