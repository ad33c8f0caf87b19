import assert from 'node:assert/strict'
import { createAgent } from '../../../test/support/agents.ts'
import type { Person, TestConsole } from '../../../test/support/console.ts'
import type { PlanData, SetFolder } from './set-folder.ts'

interface Body {
  api_key?: string | null
  white_box_config?: { github_token?: string | null } | null
}

const AT_ONCE = 8

/** Creates agents and pulls them into the files of a set. Returns their ids, in the order of the bodies. */
export async function pullAgents(
  running: TestConsole,
  person: Person,
  set: SetFolder,
  bodies: readonly object[],
): Promise<string[]> {
  const ids: string[] = []
  const rest = bodies.entries()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, body] of rest) ids[index] = (await createAgent(running, person, body)).id
    }),
  )
  // Without a secret in the environment, so that the first apply takes them.
  for (let start = 0; start < ids.length; start += 200) {
    const ran = await set.run(['pull', ...ids.slice(start, start + 200)])
    assert.equal(ran.code, 0, `${ran.stderr}${ran.stdout}`)
  }
  const env = await secretsFor(set, bodies, ids)
  // All that is left to do: the set takes the secrets, which are the same.
  const planned = await set.json<PlanData>(['plan'], 0, { env })
  for (const { changes, secrets, taken } of planned.agents) {
    assert.deepEqual([changes, secrets.filter((secret) => secret.changes)], [[], []])
    assert.ok(taken.every((field) => field === 'api_key' || field === 'white_box_config'))
  }
  const revisions = [...(await set.members()).values()].map(({ revision }) => revision)
  const applied = await set.run(['apply', '--yes'], { env })
  assert.equal(applied.code, 0, `${applied.stderr}${applied.stdout}`)
  assert.deepEqual(
    [...(await set.members()).values()].map(({ revision }) => revision),
    revisions,
  )
  return ids
}

/** The variables that the files name, with the secrets of the agents. */
export async function secretsFor(
  set: SetFolder,
  bodies: readonly object[],
  ids: readonly string[],
): Promise<Record<string, string>> {
  const keys = new Map([...(await set.members()).values()].map(({ key, agent_id: id }) => [id, key]))
  return Object.fromEntries(
    (bodies as readonly Body[]).flatMap(({ api_key: apiKey, white_box_config: config }, index) => {
      const key = keys.get(ids[index] ?? '') ?? ''
      const name = key
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]/g, '_')
        .replace(/^(?=\d)/, 'AGENT_')
      return [
        ...(apiKey ? [[`${name}_API_KEY`, apiKey]] : []),
        ...(config?.github_token ? [[`${name}_GITHUB_TOKEN`, config.github_token]] : []),
      ]
    }),
  )
}
