import { type Static, type TSchema, Type } from 'typebox'
import { FreeFormObject, integer, nullable, oneOf } from './fields.ts'

export const CARD_SOURCE = 'a2a_card'

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

const StoredInterface = Type.Object({
  url: Type.String(),
  protocol_binding: Type.String(),
  protocol_version: Type.String(),
  tenant: maybe(Type.String()),
})
export type StoredInterface = Static<typeof StoredInterface>

/** `import_metadata` of an agent that was made from an agent card. A client may have written something else there,
 * so that it is checked before it is used. */
export const CardMetadata = Type.Object({
  source: oneOf([CARD_SOURCE]),
  source_url: maybe(Type.String()),
  /** Set by the import or the refresh that stores it. */
  imported_at: maybe(integer()),
  original_format: Type.String(),
  etag: maybe(Type.String()),
  /** SHA-256 of the bytes that were fetched. */
  digest: maybe(Type.String()),
  /** The name that the import chose in place of that of the card. */
  override_name: maybe(Type.String()),
  /** The interface that `agent_url` was taken from. A refresh does not move to another one unless the caller says
   * so. */
  pinned_interface: nullable(StoredInterface),
  interfaces: Type.Array(StoredInterface),
  default_input_modes: Type.Array(Type.String()),
  default_output_modes: Type.Array(Type.String()),
  extended_agent_card: maybe(Type.Boolean()),
  extensions: maybe(Type.Array(FreeFormObject)),
  security_schemes: maybe(FreeFormObject),
  security_requirements: maybe(Type.Array(FreeFormObject)),
})
export type CardMetadata = Static<typeof CardMetadata>
