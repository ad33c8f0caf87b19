import { Type } from 'typebox'
import { FreeFormObject, integer, oneOf, Uuid } from '../../src/api/fields.ts'
import type { App } from '../../src/app.ts'

const Query = Type.Object({
  limit: Type.Optional(integer({ minimum: 1, maximum: 500 })),
  flag: Type.Optional(Type.Boolean()),
  id: Type.Optional(Uuid),
  stages: Type.Optional(Type.Array(oneOf(['tested', 'trusted']))),
  q: Type.Optional(Type.String({ maxLength: 5 })),
})

/** Routes with what no operation of the console has yet: a query, an integer in the path, a body of any
 * form. They answer what a handler gets. */
export function addProbes(app: App): void {
  const config = { permission: 'public' } as const
  app.get('/probe', { config, schema: { querystring: Query } }, async ({ query }) => query)
  app.get(
    '/probe/required',
    { config, schema: { querystring: Type.Object({ name: Type.String() }) } },
    async ({ query }) => query,
  )
  app.post(
    '/probe/:number/free-form',
    {
      config,
      schema: {
        params: Type.Object({ number: integer({ minimum: 1 }) }),
        querystring: Query,
        body: FreeFormObject,
      },
    },
    async ({ params, bodyBytes }) => ({ ...params, received: bodyBytes?.toString() }),
  )
}
