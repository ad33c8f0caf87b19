import { randomUUID } from 'node:crypto'
import { COLLECTION } from './agents.ts'
import type { RequestOptions } from './console.ts'

interface Attempt extends RequestOptions {
  name: string
  method?: string
  path?: string
  status: number
}

/** Requests that carry a secret and are refused, each with the status it is refused with. */
export function refusedRequests(
  id: string,
  hatch: () => string,
  tokens: { all: string; reader: string; otherTeam: string },
): (Attempt & { token: string | null; method: string; path: string })[] {
  const quoted = () => JSON.stringify(hatch())
  const attempts: (Attempt & { token?: string | null })[] = [
    { name: 'JSON that breaks off', raw: `{"api_key": ${quoted()}`, status: 422 },
    { name: 'JSON with a fault behind', raw: `{"api_key": ${quoted()} x}`, status: 422 },
    { name: 'JSON with a fault within', raw: `{"api_key": "${hatch().slice(0, 20)}\n"}`, status: 422 },
    {
      name: 'bytes that are no UTF-8',
      raw: Buffer.from(`{"api_key": ${quoted()}\xff}`, 'latin1'),
      status: 422,
    },
    { name: 'a string for a body', json: hatch(), status: 422 },
    { name: 'a list for a body', json: [hatch()], status: 422 },
    { name: 'an object for a key', json: { api_key: { value: hatch() } }, status: 422 },
    { name: 'a list for a key', json: { api_key: [hatch()] }, status: 422 },
    { name: 'a list for a token', json: { white_box_config: { github_token: [hatch()] } }, status: 422 },
    { name: 'a string for a configuration', json: { white_box_config: hatch() }, status: 422 },
    { name: 'a key where a status belongs', json: { status: hatch() }, status: 422 },
    { name: 'a key where a number belongs', json: { rate_limit_requests_per_minute: hatch() }, status: 422 },
    { name: 'a key where a decimal belongs', json: { test_score: hatch() }, status: 422 },
    { name: 'a key where a UUID belongs', json: { guard_config_id: hatch() }, status: 422 },
    { name: 'a good key beside a fault', json: { api_key: hatch(), status: 7 }, status: 422 },
    { name: 'a key that is too long', json: { api_key: hatch().repeat(400) }, status: 422 },
    { name: 'a key with U+0000', json: { api_key: `${hatch()}\0${hatch()}` }, status: 422 },
    {
      name: 'a token with U+0000',
      json: { white_box_config: { github_token: `\0${hatch()}` } },
      status: 422,
    },
    { name: 'a lone surrogate', raw: `{"api_key": "\\ud800 ${quoted().slice(1)}}`, status: 422 },
    {
      name: 'a mask that is not its own',
      json: { api_key: '********zzzz', white_box_config: { github_token: hatch() } },
      status: 422,
    },
    {
      name: 'a body that is not called JSON',
      raw: quoted(),
      headers: { 'content-type': 'text/plain' },
      status: 422,
    },
    { name: 'too much', json: { api_key: hatch(), purpose: 'x'.repeat(1_100_000) }, status: 413 },
    { name: 'no token', json: { api_key: hatch() }, token: null, status: 401 },
    {
      name: 'a key for a token',
      json: { api_key: hatch() },
      token: hatch().replaceAll(/[^\w-]/g, ''),
      status: 401,
    },
    { name: 'a missing permission', json: { api_key: hatch() }, token: tokens.reader, status: 403 },
    { name: 'another team', json: { api_key: hatch() }, token: tokens.otherTeam, status: 404 },
    {
      name: 'an unknown agent',
      json: { api_key: hatch() },
      path: `${COLLECTION}/${randomUUID()}`,
      status: 404,
    },
    { name: 'no agent id', json: { api_key: hatch() }, path: `${COLLECTION}/x`, status: 422 },
    { name: 'a stale revision', json: { api_key: hatch() }, headers: { 'if-match': '"99"' }, status: 412 },
    {
      name: 'a key for a reason',
      json: { purpose: 'z' },
      headers: { 'console-change-reason': encodeURIComponent(hatch()) },
      status: 422,
    },
    { name: 'an unknown path', json: { api_key: hatch() }, path: `/v1/agents/${id}`, status: 404 },
    { name: 'an unknown method', method: 'PATCH', json: { api_key: hatch() }, status: 405 },
    {
      ...{ name: 'a creation without names', method: 'POST', path: COLLECTION, status: 422 },
      json: { api_key: hatch(), white_box_config: { github_token: hatch() } },
    },
    {
      ...{ name: 'a key in a query', method: 'GET', status: 422 },
      path: `${COLLECTION}/${id}?revision=${encodeURIComponent(hatch())}`,
    },
    {
      ...{ name: 'a key for a cursor', method: 'GET', status: 422 },
      path: `/v1/audit-events?cursor=${encodeURIComponent(hatch())}`,
    },
  ]
  return attempts.map((attempt) => ({
    method: 'PUT',
    path: `${COLLECTION}/${id}`,
    token: tokens.all,
    ...attempt,
  }))
}
