import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Problem } from '../../api/problem.ts'
import { withTimeout } from '../../platform/async.ts'
import { createRefresher, discover } from '../../platform/outbound/source.ts'
import { HTML_TYPE, sendCached, toCached } from '../compression.ts'

export interface WebConsoleOptions extends PolicyOptions {
  /** What the build has written: `index.html`, `assets` with hashed names, and files such as an icon. */
  folder: string
  clientId: string
  scope: string
  resource: string | undefined
}

const PREFIX = '/console'
const ROUTE = { config: { permission: 'public' }, schema: { hide: true } } as const
/** The name of an asset contains the hash of its content. */
const ASSET_CACHE = { maxAge: '1y', immutable: true }
const OTHER_CACHE = { maxAge: 0, immutable: false }

/** Serves the browser console. Every path below /console/ that is no file is a page of it, so a link to a page works;
 * the script reads the path. */
export const webConsole: FastifyPluginAsync<WebConsoleOptions> = async (app, options) => {
  const { folder, issuer, clientId, scope, resource } = options
  const page = toCached(readFileSync(join(folder, 'index.html'), 'utf8'), HTML_TYPE, 'no-cache')
  const files = listFiles(folder)
  const policy = createPolicy(options)
  // Its own routes are off: a request names only what is in `files`, whatever else lies in the folder.
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({
      'content-security-policy': await policy(),
      'cross-origin-opener-policy': 'same-origin',
    })
    return sendCached(request, reply, page)
  }

  app.get('/', ROUTE, (_request, reply) => reply.header('cache-control', 'no-cache').redirect(`${PREFIX}/`))
  app.get(`${PREFIX}/config.json`, ROUTE, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ issuer, client_id: clientId, scope, resource }),
  )
  app.get(PREFIX, ROUTE, sendPage)
  app.get<{ Params: { '*': string } }>(`${PREFIX}/*`, ROUTE, async (request, reply) => {
    const { '*': path } = request.params
    const isAsset = /^assets(?:\/|$)/.test(path)
    if (files.has(path)) return reply.sendFile(path, isAsset ? ASSET_CACHE : OTHER_CACHE)
    // Not the page: a browser that has an old page would run HTML as a script, and caches would keep it.
    if (isAsset) throw new Problem('not_found', { headers: { 'cache-control': 'no-store' } })
    return sendPage(request, reply)
  })
}

/** By their paths in a URL. Neither the page, nor compressed copies, nor names that begin with a dot. */
function listFiles(folder: string): ReadonlySet<string> {
  const paths = globSync('**/*.*', { cwd: folder }).map((path) => path.replaceAll('\\', '/'))
  return new Set(
    paths.filter((path) => path !== 'index.html' && !/\.(?:br|gz)$/.test(path) && !/(?:^|\/)\./.test(path)),
  )
}

export interface PolicyOptions {
  issuer: string
  now: () => number
  log: Logger
}

const HOUR_MS = 3_600_000
/** The page must not wait for an issuer that does not respond. */
const MAX_WAIT_MS = 1_000

/** Returns the Content-Security-Policy of the console's pages. They run no inline script, make no HTML from text
 * (Trusted Types), and connect to this server and to the issuer only.
 *
 * Some issuers have their token endpoint on another host than the discovery document. This server may not reach the
 * issuer although browsers do; the policy then has the origin of the issuer alone. */
function createPolicy({ issuer, now, log }: PolicyOptions): () => Promise<string> {
  let tokenEndpoint = issuer
  const refresher = createRefresher({
    what: `the token endpoint of ${issuer}`,
    load: async () => {
      const { token_endpoint: url } = await discover(issuer)
      if (typeof url === 'string' && URL.canParse(url)) tokenEndpoint = url
    },
    refreshAfterMs: HOUR_MS,
    maxAgeMs: 24 * HOUR_MS,
    cooldownMs: 10_000,
    now,
    log,
  })

  return async () => {
    const loading = refresher.keepFresh()
    if (loading) await withTimeout(MAX_WAIT_MS, loading, undefined)
    const origins = new Set([issuer, tokenEndpoint].map((url) => new URL(url).origin))
    return [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${[...origins].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; ')
  }
}
