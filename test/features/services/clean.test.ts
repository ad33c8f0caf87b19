import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { escapeText } from '../../../src/features/services/document/read.ts'
import { document, refTo, returning, sending } from '../../support/service-documents.ts'
import { usePolling, usePublishing } from './publishing.ts'

const SCRIPT = '<script>alert(1)</script>'
const LINK = 'javascript:alert(1)'
const text = `${SCRIPT} <img src=x onerror=alert(1)> [here](${LINK}) [there](https://fine.example/a)`
const externalDocs = { url: LINK, description: text }
const servers = [{ url: LINK, description: text }]

const hostile = {
  ...document(
    {
      '/v1/teams': {
        summary: text,
        description: text,
        servers,
        parameters: [{ in: 'query', name: 'q', description: text, schema: { type: 'string' } }],
        get: returning(refTo('Team'), {
          ...{ summary: text, description: text, externalDocs, servers },
          'x-logo': { url: LINK, note: text },
        }),
        post: sending(refTo('Team'), {
          callbacks: { done: { '{$request.body#/url}': { servers, post: returning({}, { externalDocs }) } } },
        }),
      },
    },
    {
      Team: {
        title: text,
        description: text,
        type: 'object',
        properties: {
          name: { type: 'string', description: text, externalDocs, enum: ['<b>', 'plain'] },
          home: { type: 'string', xml: { namespace: LINK } },
        },
        externalDocs: { url: 'https://fine.example/docs' },
      },
    },
  ),
  info: {
    ...{ title: `Teams ${SCRIPT}`, version: '1', description: text, termsOfService: LINK },
    contact: { name: text, url: LINK },
    license: { name: text, url: LINK },
  },
  servers,
  tags: [{ name: 'x', description: text, externalDocs }],
  externalDocs,
}

describe('a document that carries scripts', async () => {
  const teams = await usePublishing(hostile)
  const polling = await usePolling({ teams: { url: teams.url, tag: 'Extra' } })
  await polling.becomes('teams', ({ document: adopted }) => adopted !== null)
  const published = (await polling.running.request('GET', '/openapi.json')).text
  const { paths, components, tags } = JSON.parse(published)
  const schema = components.schemas.TeamsTeam

  it('is published without HTML and without script URLs', () => {
    const found = published.match(/<script|<img|javascript:/g) ?? []
    assert.deepEqual(found, [])
    assert.equal(tags.at(-1).description, 'Operations of Teams &lt;script>alert(1)&lt;/script>')
  })

  it('keeps the text, safe links and values', () => {
    const { description } = paths['/v1/teams'].get
    assert.equal(
      description.split('\n\n')[0],
      '&lt;script>alert(1)&lt;/script> &lt;img src=x onerror=alert(1)> [here](#) [there](https://fine.example/a)',
    )
    assert.deepEqual(schema.externalDocs, { url: 'https://fine.example/docs' })
    assert.deepEqual(schema.properties.name.enum, ['<b>', 'plain'])
  })
})

describe('text of a document', () => {
  for (const target of [
    ...[
      'javascript:alert(1)',
      'JavaScript:alert',
      '<javascript:alert(1)>',
      '<java\tscript:alert>',
      'data:text/html,x',
    ],
    ...[
      'javascript&#58;alert',
      'javascript&colon;alert',
      'javascript\\:alert',
      'vbscript:x',
      'file:///etc/passwd',
    ],
  ]) {
    it(`has no link to ${JSON.stringify(target)}`, () => {
      assert.match(escapeText(`[x](${target})`), /^\[x\]\(#/)
      assert.match(escapeText(`a\n[x]: ${target}\n`), /^a\n\[x\]: #/)
    })
  }

  it('keeps links that are safe, comparisons and code', () => {
    for (const kept of [
      ...['[x](https://a.example/b?c=d:e)', '[x](http://a.example)', '[x](mailto:a@b.example)', '[x](#part)'],
      ...['[x](../other/page.md)', '1 < 2 and 3 > 2', '`a[0]: std::string`', '> quoted'],
    ]) {
      assert.equal(escapeText(kept), kept)
    }
  })
})
