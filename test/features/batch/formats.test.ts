import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import { type AgentImportResult, AgentImportRow } from '../../../src/features/batch/import-schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'
import { importRows, sendImport } from '../../support/imports.ts'
import { makeVariedAgents } from '../../support/varied-agents.ts'

const CSV = 'text/csv'
const LINES = 'application/x-ndjson'

/** What an import carries. */
const { external_key: _, expected_revision: __, ...CARRIED } = AgentImportRow.properties

describe('the formats of an import', async () => {
  const running = await useConsole()
  const exported = async ({ token }: Person, format: string) => {
    const statuses =
      'statuses=draft&statuses=creating&statuses=active&statuses=under_review&statuses=deprecated'
    const others = 'statuses=archived&statuses=pending&statuses=rejected'
    const path = `${COLLECTION}/export?format=${format}&${statuses}&${others}`
    return (await running.request('GET', path, { token })).text
  }
  const carried = (lines: string): Partial<Agent>[] =>
    lines
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const agent = JSON.parse(line) as Record<string, unknown>
        return Object.fromEntries(Object.keys(CARRIED).map((name) => [name, agent[name]]))
      })
  const imported = async (person: Person, body: string, type: string) => {
    const { results } = await importRows(running, person, body, { type })
    return Promise.all(
      results.map(async ({ agent_id: id, faults }) => {
        assert.deepEqual(faults, [])
        return (await getAgent(running, person, id as string)).body
      }),
    )
  }

  it('carry a fleet to an empty team: its export is equal in every member that an import carries', async () => {
    const person = await running.person()
    await makeVariedAgents(running, person, 25)
    const text = `'=1+1,"x"\r\n@\t＝`
    const { id } = await createAgent(running, person, {
      ...{ agent_name: text, model_name: '-1', hub: "'", purpose: '', last_tested_by: "'=x" },
      ...{ agent_metadata: { tags: [text], deep: [{ n: 1e21 }] }, evaluated_harnesses: ['=1'] },
      ...{ skills: [{ a: [1] }], delegated_agents: [{ url: 'https://x.example' }], test_score: '-5.50' },
    })
    const options = { token: person.token, json: { value: 'sk-0123456789abcdefghij' } }
    await running.request('PUT', `${COLLECTION}/${id}/secrets/crm`, options)
    const headers = { Authorization: { $secret: 'crm' } }
    assert.equal((await putAgent(running, person, id, { mcp_config: { headers } })).status, 200)
    const original = await exported(person, 'ndjson')
    for (const [format, type] of [
      ['ndjson', LINES],
      ['csv', CSV],
    ] as const) {
      const empty = await running.person()
      const file = await exported(person, format)
      const dry = await importRows(running, empty, file, { type, query: '?dry_run=true' })
      const planned = format === 'csv' ? file : withRevisions(file, dry)
      const { counts, results } = await importRows(running, empty, planned, { type })
      const { create, ...others } = counts
      assert.deepEqual(
        [create, others],
        [results.length, { update: 0, unchanged: 0, conflict: 0, failed: 0 }],
      )
      const order = new Map(results.map(({ agent_id: id, row }) => [id, row]))
      const copy = (await exported(empty, 'ndjson')).split('\n').slice(0, -1)
      const sorted = copy.toSorted((a, b) => (order.get(idOf(a)) as number) - (order.get(idOf(b)) as number))
      assert.deepEqual(carried(`${sorted.join('\n')}\n`), carried(original))
      const again = await importRows(running, empty, file, { type })
      assert.equal(again.counts.unchanged, results.length)
      const ignored = results.filter(({ warnings }) => warnings.some((text) => text.includes('trust_stage')))
      assert.ok(ignored.length > 0, 'a trust stage that was earned is not carried, and a warning says so')
      assert.match(results.at(-1)?.warnings.join() ?? '', /named secrets that it does not have yet: crm/)
    }
  })

  it('keep the secrets of an agent when its own export is imported', async () => {
    const person = await running.person()
    const secrets = { api_key: 'sk-0123456789abcdefghij' }
    const config = { repo_url: 'https://git.example/a', github_token: 'ghp-0123456789abcdefghij' }
    const { id } = await createAgent(running, person, { ...secrets, white_box_config: config })
    for (const [format, type] of [
      ['ndjson', LINES],
      ['csv', CSV],
    ] as const) {
      const { results } = await importRows(running, person, await exported(person, format), { type })
      assert.deepEqual([results[0]?.action, results[0]?.agent_id], ['unchanged', id])
    }
    const edited = (await exported(person, 'ndjson')).replace('git.example/a', 'git.example/b')
    const { results } = await importRows(running, person, edited, { type: LINES })
    assert.deepEqual(results[0]?.fields, ['white_box_config'])
    const { body } = await running.request('GET', `${COLLECTION}/${id}/secrets`, { token: person.token })
    assert.deepEqual(
      [body.api_key, body.white_box_config.github_token],
      [secrets.api_key, config.github_token],
    )
  })

  it('read CSV with nested columns, quotes, line breaks, a byte order mark and empty cells', async () => {
    const person = await running.person()
    const file = [
      '\ufeffexternal_key,expected_revision,agent_name,model_name,agent_params.temperature,agent_params,guard_manually_configured,agent_metadata.tags,' +
        'agent_metadata.owner,test_score,rate_limit_requests_per_minute,purpose',
      `a,0,"say ""hi""\r\n'=x",m,0.5,"{""max_tokens"":7}",TRUE,"[""t""]",007,1.10,5,""`,
      '',
      `b,,'tis,"'=m",,,false,,{"x":1},-3,,`,
    ].join('\r\n')
    const { results } = await importRows(running, person, file, { type: `${CSV}; charset=utf-8` })
    assert.deepEqual(
      results.map(({ line, faults }) => [line, faults]),
      [
        [2, []],
        [5, []],
      ],
    )
    const [a, b] = await imported(person, file, CSV)
    assert.deepEqual(
      [a?.agent_name, a?.agent_params, a?.guard_manually_configured, a?.agent_metadata],
      [`say "hi"\r\n'=x`, { max_tokens: 7, temperature: 0.5 }, true, { tags: ['t'], owner: '007' }],
    )
    assert.deepEqual([a?.test_score, a?.rate_limit_requests_per_minute, a?.purpose], ['1.10', 5, ''])
    assert.deepEqual(
      [b?.agent_name, b?.model_name, b?.agent_params, b?.agent_metadata, b?.test_score, b?.purpose],
      ["'tis", '=m', null, { owner: { x: 1 } }, '-3', null],
    )
  })

  it('read the columns without a name and the empty rows that spreadsheets write, and say what a cell must be', async () => {
    const person = await running.person()
    const columns =
      'external_key,agent_name,model_name,rate_limit_requests_per_minute,guard_manually_configured,evaluated_harnesses,,'
    const file = [columns, 'a,a,m,5,FALSE,,,', ',,,,,,,', 'b,b,m,"1,000",WAHR,x,,', ''].join('\r\n')
    const { results } = await importRows(running, person, file, { type: CSV, query: '?dry_run=true' })
    assert.deepEqual(
      results.map(({ line, action, warnings, faults }) => [
        ...[line, action, ...warnings],
        ...faults.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`),
      ]),
      [
        [2, 'create'],
        [
          ...[4, 'failed'],
          'rate_limit_requests_per_minute: JSON decode error, the cell must be a number such as 1000 or 0.5',
          'guard_manually_configured: JSON decode error, the cell must be true or false',
          'evaluated_harnesses: JSON decode error, the cell must be a JSON value such as ["a"] or {"a": 1}',
        ],
      ],
    )
  })

  it('keep the members of an object that the columns of a CSV file do not name', async () => {
    const person = await running.person()
    const whole = {
      ...{ external_key: 'a', agent_name: 'a', model_name: 'm' },
      agent_params: { temperature: 0.5, max_tokens: 7, rag_params: { index: 'x', source: 'wiki' } },
      agent_metadata: { description: 'd', tags: ['t'] },
      white_box_config: { repo_url: 'https://git.example/a', github_token: 'ghp_0123456789abcdefghij' },
    }
    await importRows(running, person, [whole, { ...whole, external_key: 'b' }])
    const columns =
      'external_key,agent_params.temperature,agent_params.rag_params.index,agent_metadata.tags,agent_metadata,white_box_config.repo_branch'
    const file = [columns, 'a,0.9,,"[""u""]",,main', 'b,,y,"[""u""]","{""version"":""2""}",'].join('\n')
    const dryRun = await importRows(running, person, file, { type: CSV, query: '?dry_run=true' })
    const [a, b] = await imported(person, file, CSV)
    assert.deepEqual(
      dryRun.results.map(({ fields }) => fields.join()),
      ['agent_params,white_box_config,agent_metadata', 'agent_params,agent_metadata'],
    )
    assert.deepEqual(
      [a?.agent_params, a?.agent_metadata],
      [
        { ...whole.agent_params, temperature: 0.9 },
        { description: 'd', tags: ['u'] },
      ],
    )
    assert.deepEqual(
      [b?.agent_params, b?.agent_metadata],
      [
        { ...whole.agent_params, rag_params: { index: 'y', source: 'wiki' } },
        { version: '2', tags: ['u'] },
      ],
    )
    const { body } = await running.request('GET', `${COLLECTION}/${a?.id}/secrets`, { token: person.token })
    assert.deepEqual(body.white_box_config, { github_token: 'ghp_0123456789abcdefghij' })
    const again = await importRows(running, person, file, { type: CSV })
    assert.deepEqual(
      again.results.map(({ action }) => action),
      ['unchanged', 'unchanged'],
    )
  })

  it('read JSON Lines, with the digits of numbers', async () => {
    const person = await running.person()
    const score = '1.00000000000000000000000000001'
    const line = `{"external_key":"c","agent_name":"c","model_name":"m","test_score":${score}}\r\n\n`
    const [c] = await imported(person, line, 'application/jsonl')
    assert.equal(c?.test_score, score)
  })

  it('report what is wrong with a row in each format, and never round a number', async () => {
    const person = await running.person()
    const digits = '1.00000000000000000000001'
    const faultsOf = async (body: string | unknown[], type?: string) => {
      const { results } = await importRows(running, person, body, type === undefined ? {} : { type })
      return results.map(({ faults }) =>
        faults.map(({ loc, type: kind }) => `${loc.slice(1).join('.')} ${kind}`),
      )
    }
    const json = `{"rows":[{"external_key":"a","agent_name":"a","model_name":"m","agent_params":{"x":${digits}}},{"external_key":"b"}]}`
    assert.deepEqual(await faultsOf(json, 'application/json'), [
      ['0.agent_params.x value_error'],
      ['1.agent_name missing', '1.model_name missing'],
    ])
    assert.deepEqual(
      await faultsOf(
        `{"external_key":"a","agent_params":{"x":${digits}}}\n{"external_key":"b","purpose":"\\u0000"}\n{"oops\n[1]\n{"external_key":5}`,
        LINES,
      ),
      [
        ['0.agent_params.x value_error'],
        ['1.purpose value_error'],
        ['2.1 json_invalid'],
        ['3 model_attributes_type'],
        ['4.external_key string_type'],
      ],
    )
    const columns =
      'external_key,agent_name,agent_params,agent_params.x,status,rate_limit_requests_per_minute\n'
    assert.deepEqual(
      await faultsOf(
        `${columns}a,n,"{""y"":${digits}}",,,\nb,n,"1},""b"":{",,,\nc,n,5,6,,\nd,n\ne,n,,,none,many`,
        CSV,
      ),
      [
        ['0.agent_params.y value_error'],
        ['1.agent_params json_invalid'],
        ['2.agent_params.x value_error', '2.agent_params model_attributes_type'],
        ['3 value_error'],
        ['4.rate_limit_requests_per_minute json_invalid', '4.status enum'],
      ],
    )
  })

  it('refuse a body that cannot be read as a whole, and change nothing', async () => {
    const person = await running.person()
    const row = '{"external_key":"a","agent_name":"a","model_name":"m"}'
    const cases: [string | Buffer, string, RegExp][] = [
      ['', 'application/json', /missing/],
      [`{"rows":[${row}`, 'application/json', /json_invalid/],
      ['{"rows":[]}', 'application/json', /too_short/],
      [`{"rows":{"a":1}}`, 'application/json', /list_type/],
      ['[]', 'application/json', /model_attributes_type/],
      ['{}', 'application/json', /exactly one of rows/],
      [`{"rows":[${row}],"card":{}}`, 'application/json', /exactly one of rows/],
      [`{"rows":[${row}],"dry_run":true}`, 'application/json', /"dry_run"\].*extra_forbidden/],
      [
        `{"rows":[${Array.from({ length: 1_001 }, () => '0').join()}]}`,
        'application/json',
        /"rows"\].*too_long/,
      ],
      [
        `{"rows":[${Array.from({ length: 200 }, () => '{"agent_params":{"x":1e400}}').join()}]}`,
        'application/json',
        /finite/,
      ],
      [`${row}\n`.repeat(1_001), LINES, /too_long/],
      ['\n\n', LINES, /too_short/],
      [Buffer.from([0xff, 0xfe]), LINES, /string_unicode/],
      ['external_key,agent_name\n"a,b', CSV, /line 2 is not valid CSV: a cell that starts with a quote/],
      ['external_key,agent_name\n"a"x,b', CSV, /line 2 is not valid CSV/],
      ['external_key,external_key\na,b', CSV, /two columns have the same name, external_key/],
      ['external_key,agent_params.__proto__\na,b', CSV, /the name of a column is not valid: agent_params/],
      ['external_key;agent_name\na;b', CSV, /line 1 .*separated by commas/],
      ['sep=;\nexternal_key;agent_name\na;b', CSV, /line 1 .*separated by commas/],
      [','.repeat(1_000), CSV, /more than 500 cells/],
      ['external_key,agent_name\n', CSV, /too_short/],
      [`- ${row}`, 'application/yaml', /application\/x-ndjson/],
      [`external_key\n"${'""'.repeat(600_000)}"`, CSV, /longer than 1 MiB/],
      ['a=b', 'application/x-www-form-urlencoded', /application\/x-ndjson/],
    ]
    for (const [body, type, expected] of cases) {
      const { status, text } = await running.request('POST', '/v1/agent-imports', {
        token: person.token,
        raw: body,
        headers: { 'content-type': type },
      })
      assert.deepEqual(
        [status, expected.test(text)],
        [422, true],
        `${body.toString().slice(0, 60)}: ${text.slice(0, 300)}`,
      )
    }
    const [agents] = await running.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM agents WHERE team_id = $1',
      [person.team],
    )
    assert.equal(agents?.count, 0)
    const most = await importRows(running, person, '0\n'.repeat(1_000), { type: LINES })
    assert.equal(most.counts.failed, 1_000, 'the largest number of rows')
    const large = await sendImport(running, person, ' '.repeat(4 * 1024 * 1024 + 1), { type: LINES })
    assert.deepEqual([large.status, large.body.code], [413, 'body_too_large'])
  })
})

/** JSON lines whose rows have the revisions of a dry run. */
const withRevisions = (file: string, { results }: AgentImportResult): string =>
  file
    .split('\n')
    .slice(0, -1)
    .map((row, n) => `{"expected_revision":${results[n]?.revision},${row.slice(1)}`)
    .join('\n')

const idOf = (line: string) => (JSON.parse(line) as Agent).id
