import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../contract/problem.ts'
import { HTML_TYPE, sendCached, toCached } from '../cached-content.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

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

/** Serves the browser console. Every path below /console/ that is no file is a page of it, so a link to a page works; the
 * script reads the path. */
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
