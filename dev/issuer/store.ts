import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { findClient } from './client.ts'

/** Sessions, grants, codes and refresh tokens. They outlive a rotation of the keys, and are lost with the process. */
export interface Store {
  createAdapter: (model: string) => Adapter
  /** Sign the cookies. */
  readonly cookieKeys: Buffer[]
  /** The addresses of the browser console, without a slash at the end. */
  readonly consoleUrls: Set<string>
}

/** A browser that signs in leaves five entries. */
const MAX_ENTRIES = 5_000

export function createStore(urls: readonly string[] = []): Store {
  const entries = new LRUCache<string, AdapterPayload>({ max: MAX_ENTRIES })
  const consoleUrls = new Set(urls.map((url) => new URL(url).origin))

  const findEntry = (model: string, property: 'uid' | 'userCode', value: string) =>
    [...entries].find(([key, payload]) => key.startsWith(`${model}:`) && payload[property] === value)?.[1]

  return {
    cookieKeys: [randomBytes(32)],
    consoleUrls,
    createAdapter: (model) => ({
      find: async (id) => (model === 'Client' ? findClient(id, consoleUrls) : entries.get(`${model}:${id}`)),
      findByUid: async (uid) => findEntry(model, 'uid', uid),
      findByUserCode: async (code) => findEntry(model, 'userCode', code),
      upsert: async (id, payload, expiresIn) => {
        entries.set(`${model}:${id}`, payload, expiresIn ? { ttl: expiresIn * 1_000 } : {})
      },
      consume: async (id) => {
        const payload = entries.get(`${model}:${id}`)
        if (payload) payload.consumed = Math.floor(Date.now() / 1_000)
      },
      destroy: async (id) => void entries.delete(`${model}:${id}`),
      revokeByGrantId: async (grantId) => {
        // Of this model only: an interaction names the grant of the session before it, and outlives it.
        for (const [key, payload] of entries) {
          if (key.startsWith(`${model}:`) && payload.grantId === grantId) entries.delete(key)
        }
      },
    }),
  }
}
