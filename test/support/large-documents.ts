import { refTo, resourceSchemas, type Schema, type Version } from './large-schemas.ts'

/** Twenty large documents in the manner of public ones, the same at every call: 3.0.3 and 3.1.0 by turns, a hundred
 * operations each, and the same names for different things all over them and the console. */

export interface LargeDocument {
  name: string
  tag: string
  prefix: string
  /** The operations it declares, `GET /v1/billing/invoices` and its like. */
  operations: string[]
  text: string
}

const AREAS = [
  ...['billing', 'catalogue', 'chat', 'contracts', 'delivery', 'directory', 'exports', 'forms', 'hosting'],
  ...['identity', 'inventory', 'ledger', 'mail', 'notices', 'orders', 'payments', 'planning', 'search'],
  ...['tickets', 'travel'],
]
/** Some are names of the console's own schemas. */
const NOUNS = [
  ...[
    'Agent',
    'Genome',
    'Account',
    'Address',
    'Batch',
    'Budget',
    'Campaign',
    'Channel',
    'Contract',
    'Credit',
  ],
  ...['Device', 'Export', 'Group', 'Invoice', 'Label', 'Message', 'Note', 'Offer', 'Order', 'Policy'],
  ...['Quota', 'Record', 'Report', 'Role', 'Session', 'Tag', 'Task', 'Token', 'User', 'Webhook'],
]
const RESOURCES = 20

export const largeDocuments = (): LargeDocument[] => AREAS.map(largeDocument)

function largeDocument(area: string, index: number): LargeDocument {
  const version: Version = index % 2 === 0 ? '3.0.3' : '3.1.0'
  const prefix = `/v1/${area}`
  const tag = `${area.charAt(0).toUpperCase()}${area.slice(1)}`
  const names = Array.from({ length: RESOURCES }, (_, n) => NOUNS[(index + n) % NOUNS.length] as string)
  const paths = Object.assign({}, ...names.map((name, n) => resourcePaths(prefix, tag, name, n)))
  const schemas = Object.assign(
    {},
    ...names.map((name, n) =>
      resourceSchemas(name, names[(n + 1) % RESOURCES] as string, version, index * 100 + n),
    ),
  )
  const document = {
    openapi: version,
    info: {
      title: tag,
      version: `${index}.0.0`,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: `https://${area}.internal.test` }],
    tags: [{ name: tag, description: `All about ${area}` }],
    security: [{ oauth: [] }],
    paths,
    components: { ...SHARED, schemas: { ...schemas, Problem: problem(area) } },
  }
  return { name: area, tag, prefix, operations: operationsOf(paths), text: JSON.stringify(document) }
}

function operationsOf(paths: Record<string, object>): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
}

/** Five operations. Every other resource lies in a workspace, so that paths have one or two parameters. */
function resourcePaths(prefix: string, tag: string, name: string, n: number): Record<string, object> {
  const lower = name.toLowerCase()
  const workspace = n % 2 === 0 ? [] : [pathParameter('workspace_id')]
  const collection = `${prefix}${n % 2 === 0 ? '' : '/workspaces/{workspace_id}'}/${lower}s`
  const operation = (verb: string, rest: object) => ({
    operationId: `${verb}${name}`,
    summary: `${verb} ${lower}`,
    description: `Does ${verb} a ${lower} of the caller, and nothing else.`,
    tags: [tag],
    ...rest,
  })
  const answers = (status: string, schema: Schema | undefined, links?: object) => ({
    [status]: { description: 'Done', ...(schema && { content: json(schema) }), ...(links && { links }) },
    ...Object.fromEntries(
      ['400', '404', '429'].map((code) => [code, { $ref: '#/components/responses/Problem' }]),
    ),
  })
  const body = { required: true, content: json(refTo(`${name}Create`)) }
  const read = { operationId: `get${name}`, parameters: { [`${lower}_id`]: '$response.body#/id' } }
  return {
    [collection]: {
      ...(workspace.length > 0 && { parameters: workspace }),
      get: operation('list', {
        parameters: ['Limit', 'Cursor'].map((shared) => ({ $ref: `#/components/parameters/${shared}` })),
        responses: answers('200', refTo(`${name}Page`)),
      }),
      post: operation('create', {
        requestBody: body,
        responses: answers('201', refTo(name), { Read: read }),
        callbacks: { changed: { '{$request.query.callback}': { post: callback(name) } } },
      }),
    },
    [`${collection}/{${lower}_id}`]: {
      parameters: [...workspace, pathParameter(`${lower}_id`)],
      get: operation('get', { responses: answers('200', refTo(name)) }),
      put: operation('replace', { requestBody: body, responses: answers('200', refTo(name)) }),
      delete: operation('delete', { responses: answers('204', undefined) }),
    },
  }
}

const json = (schema: Schema) => ({ 'application/json': { schema } })

const pathParameter = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
})

const callback = (name: string) => ({
  summary: `${name} changed`,
  operationId: `${name}Changed`,
  requestBody: { content: json(refTo(name)) },
  responses: { '204': { description: 'Understood' }, '400': { description: 'Not understood' } },
})

/** The same name and another shape in each document. */
const problem = (area: string): Schema => ({
  type: 'object',
  required: [`${area}_error`],
  properties: { [`${area}_error`]: { type: 'string' } },
})

const SHARED = {
  securitySchemes: { oauth: { type: 'http', scheme: 'bearer' } },
  parameters: {
    Limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 500 } },
    Cursor: { name: 'cursor', in: 'query', schema: { type: 'string' } },
  },
  responses: { Problem: { description: 'Why not', content: json(refTo('Problem')) } },
}
