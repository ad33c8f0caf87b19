interface Referring {
  $ref?: string
}
interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: { responses?: Record<string, object> }
}

/** Replaces the responses that refer to a component by the component. Returns the same document. */
export function resolveResponses<Document extends object>(document: Document): Document {
  const { paths, components } = document as unknown as OpenApi
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(responses)) {
      const { $ref = '' } = response as Referring
      responses[status] = components.responses?.[$ref.replace('#/components/responses/', '')] ?? response
    }
  }
  return document
}
