import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'

const root = join(import.meta.dirname, '../../..')
interface Document {
  components: { schemas: Record<string, { properties?: object; required?: string[] }> }
}
const { components } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as Document
const { Agent: agent = {} } = components.schemas
/** As commands print an agent. */
const PrintedAgent = {
  ...agent,
  properties: { ...agent.properties, revision: { type: 'integer' } },
  required: [...(agent.required ?? []), 'revision'],
}
// The document has formats of its own.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema({ $id: 'document', components: { schemas: { ...components.schemas, PrintedAgent } } })

export const ref = (name: string) => ({ $ref: `document#/components/schemas/${name}` })
export const list = (items: object) => ({ type: 'array', items })
/** An object with these members and no others. */
export const exactly = (properties: Record<string, object>) => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})
export const TEXT = { type: 'string' }
export const AGENT = ref('PrintedAgent')

/** What is wrong with a value. Empty if nothing is. */
export function faultsOf(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
