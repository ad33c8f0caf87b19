import assert from 'node:assert/strict'
import { REDACTABLE_FIELDS, REDACTABLE_REASON } from '../../src/agent/history/schema.ts'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { COLLECTION } from './agents.ts'
import { createFlock } from './canaries.ts'
import type { Scene } from './canary-scene.ts'
import type { Person } from './console.ts'

export interface PlantedCredentials {
  count: number
  /** Where one of them shows in a text. */
  search: (where: string, text: string) => string[]
}

type Hatch = () => string

/** In the user info of every URL: refused. */
const REFUSED: ((url: string) => object)[] = [
  (url) => ({ agent_url: url }),
  (url) => ({ mcp_config: { proxy_url: url } }),
  (url) => ({ mcp_config: { server_urls: [url] } }),
  (url) => ({ delegated_agents: [{ url }] }),
  (url) => ({ delegated_agents: [{ agent_card_url: url }] }),
  (url) => ({ white_box_config: { repo_url: url } }),
  (url) => ({ import_metadata: { source_url: url } }),
]

/** In a reason it would be refused. */
const unlikeACredential = (credential: string) => credential.replace(/^sk-/, '')

/** In every field that a redaction takes: stored, with a warning or not, until they are redacted. */
const stored = (hatch: Hatch) => ({
  agent_name: hatch(),
  model_name: hatch(),
  hub: hatch(),
  agent_url: `https://host.example/?key=${encodeURIComponent(hatch())}`,
  agent_system_prompt: `Send "${hatch()}" in the header.`,
  agent_params: { rag_params: { token: hatch() }, [hatch()]: 1 },
  mcp_config: {
    headers: { Authorization: `Bearer ${hatch()}`, 'x-api-key': hatch() },
    servers: [{ headers: [{ name: 'Authorization', value: hatch() }] }],
    proxy_url: `https://host.example/${hatch()}`,
    server_urls: [`https://host.example/?token=${hatch()}`],
  },
  delegated_agents: [{ name: hatch(), headers: { authorization: hatch() } }],
  white_box_config: { source_code: `const key = '${hatch()}'`, repo_url: `https://host.example/${hatch()}` },
  agent_metadata: { description: hatch(), tags: [hatch()] },
  purpose: hatch(),
  last_tested_by: hatch(),
  evaluated_harnesses: [hatch()],
})

/** In the fields that never change: they go with the agent. */
const fixed = (hatch: Hatch) => ({
  import_metadata: { source_url: `https://host.example/?key=${hatch()}`, auth: { password: hatch() } },
  capabilities: { [hatch()]: true, tools: [hatch()] },
  skills: [{ headers: { authorization: hatch() } }, { id: 'a', name: hatch() }],
})

const CLEAN = {
  ...{ agent_name: 'A', model_name: 'm', hub: 'custom', agent_url: null, agent_system_prompt: null },
  ...{ agent_params: null, mcp_config: null, delegated_agents: [], white_box_config: null },
  ...{ agent_metadata: null, purpose: null, last_tested_by: null, evaluated_harnesses: null },
}

/** Puts at least so many credentials where they do not belong, and removes those that are not refused. Looks for them in the
 * responses afterwards; the caller looks everywhere else. */
export async function plantCredentials(scene: Scene, count: number): Promise<PlantedCredentials> {
  const flock = createFlock()
  const search = (where: string, text: string) => flock.find(text).map((leak) => `${where}: planted ${leak}`)
  const person = await scene.running.person()
  const plant = { hatch: flock.hatch, search, person }

  await refuse(scene, plant)
  // The first of them long enough to have a snapshot.
  for (let revisions = 100; flock.count() < count; revisions = 2) {
    await storeAndRedact(scene, plant, revisions)
    await storeAndErase(scene, plant)
  }
  for (const path of [COLLECTION, `${COLLECTION}?sort=agent_name&q=c`, '/v1/audit-events?limit=500']) {
    const reply = await scene.running.request('GET', path, { token: person.token })
    assert.equal(reply.status, 200)
    scene.leaks.push(...search(`GET ${path}`, reply.text))
  }
  return { count: flock.count(), search }
}

interface Plant {
  hatch: Hatch
  search: PlantedCredentials['search']
  person: Person
}

async function refuse({ running, leaks }: Scene, { hatch, search, person: { token } }: Plant): Promise<void> {
  for (const place of REFUSED) {
    for (const userInfo of [
      `user:${hatch()}`,
      encodeURIComponent(hatch()),
      `:${encodeURIComponent(hatch())}`,
    ]) {
      const json = { agent_name: 'A', model_name: 'm', ...place(`https://${userInfo}@host.example/`) }
      const reply = await running.request('POST', COLLECTION, { token, json })
      assert.equal(reply.status, 422, reply.text)
      leaks.push(...search('a refusal', reply.text + JSON.stringify([...reply.headers])))
    }
  }
}

async function storeAndRedact(
  { running, leaks }: Scene,
  { hatch, search, person: { token } }: Plant,
  revisions: number,
): Promise<void> {
  const reason = { 'console-change-reason': encodeURIComponent(`The word ${unlikeACredential(hatch())}`) }
  const created = await running.request('POST', COLLECTION, { token, json: stored(hatch), headers: reason })
  assert.equal(created.status, 201, created.text)
  const path = `${COLLECTION}/${created.body.id}`
  for (let revision = 2; revision <= revisions; revision++) {
    const { status } = await running.request('PUT', path, { token, json: { test_score: revision } })
    assert.equal(status, 200)
  }
  const headers = JSON.stringify([...created.headers])
  assert.match(headers, /console-credential-warnings/)
  leaks.push(...search('the headers of a creation', headers))
  assert.ok(
    search('', (await running.request('GET', path, { token })).text).length > 0,
    'it is readable before',
  )
  const history = await running.request('GET', `${path}/revisions`, { token })
  assert.ok(search('', history.text).length > 0, 'its reason too')

  const cleaned = await running.request('PUT', path, { token, json: CLEAN })
  assert.equal(cleaned.status, 200, cleaned.text)
  const redacted = await running.request('POST', `${path}/revisions/1/redact`, {
    token,
    json: { fields: [...REDACTABLE_FIELDS.filter((name) => name in CLEAN), REDACTABLE_REASON] },
  })
  assert.equal(redacted.status, 204, redacted.text)
  for (const rest of [
    ...['', '?revision=1', `?revision=${revisions}`, '/revisions', '/revisions/1', `/revisions/${revisions}`],
    ...[`/revisions/${revisions + 1}/diff?against=1`, `/revisions/${revisions}/diff?against=1`],
  ]) {
    const reply = await running.request('GET', path + rest, { token })
    assert.equal(reply.status, 200, reply.text)
    leaks.push(...search(`GET ${rest}`, reply.text))
  }
}

async function storeAndErase(
  { running, leaks }: Scene,
  { hatch, search, person: { token } }: Plant,
): Promise<void> {
  const json = { agent_name: 'A', model_name: 'm', ...fixed(hatch) }
  const created = await running.request('POST', COLLECTION, { token, json })
  assert.equal(created.status, 201, created.text)
  leaks.push(...search('the headers of a creation', JSON.stringify([...created.headers])))
  const path = `${COLLECTION}/${created.body.id}?erase=true`
  assert.equal((await running.request('DELETE', path, { token })).status, 204)
  const inAMinute = Math.floor(Date.now() / 1_000) + 60
  while (await eraseStep(running.core.database.system, inAMinute)) {
    // One deleted agent of 100 revisions at a time.
  }
}
