import { type JsonSchema, type Resolve, SchemaCompiler } from './validation/check-value.ts'
import { ErrorList } from './validation/error-list.ts'
import { compileParameters } from './validation/parameters.ts'
import type { RequestSchemas } from './validation/plugin.ts'
import { refuseUnknownNames } from './validation/unknown-names.ts'

type Examples = Record<string, { summary: string; value: { detail: ErrorList['errors'] } }>

/** Examples of the 422 of one operation. The validator makes them, from its schemas and an invalid request. */
export function validationExamples(schemas: RequestSchemas, resolve: Resolve): Examples {
  const { params, querystring, body } = schemas
  const compiler = new SchemaCompiler(resolve)
  const examples: Examples = {}
  const add = (name: string, summary: string, validate: (errors: ErrorList) => unknown) => {
    const errors = new ErrorList()
    validate(errors)
    if (errors.errors.length > 0) examples[name] = { summary, value: { detail: errors.errors } }
  }

  if (params) {
    const given = Object.fromEntries(propertyNames(params).map((name) => [name, 'abc']))
    add('path', 'The path is not valid', (errors) =>
      compileParameters('path', params, compiler)(given, errors),
    )
  }
  for (const name of propertyNames(querystring)) {
    if (examples['query']) break
    add('query', 'A query parameter is not valid', (errors) =>
      compileParameters('query', querystring ?? {}, compiler)({ [name]: 'abc' }, errors),
    )
  }
  // One that the handler reads itself has a schema for each media type.
  if (body && !('content' in body)) {
    const schema = body.$ref ? resolve(body.$ref) : body
    add('body', 'The body is not valid', (errors) =>
      compiler.compile(schema, 'body')(invalidBody(schema), ['body'], errors),
    )
  }
  if (Object.keys(examples).length === 0) {
    add('unknown', 'The operation has no such query parameter', (errors) =>
      refuseUnknownNames(['query'], { limit: '10' }, [], errors),
    )
  }
  return examples
}

function propertyNames(schema: JsonSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

/** Lacks every required field; if none is required, the first field has a wrong value; if there are no fields, it is no
 * object. */
function invalidBody(schema: JsonSchema): unknown {
  if (schema.required) return {}
  const [first] = propertyNames(schema)
  return first === undefined ? [] : { [first]: 'abc' }
}
