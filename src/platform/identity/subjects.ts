import { v5 as uuidV5 } from 'uuid'
import { parseUuid } from '../../contract/uuid.ts'

const VERSION_AT = 14

/** Returns the function that turns the value of a user or team claim into a UUID: a UUID is itself, and any other text
 * becomes the version 5 of issuer and text, the same for ever. Null if the text has no UTF-8 form.
 *
 * A UUID of version 5 counts as a text. Otherwise a user who may choose the name of a group could choose the id that
 * the console made of another name. */
export function createSubjectIds(issuer: string): (value: string) => string | null {
  const namespace = uuidV5(issuer, uuidV5.URL)
  return (value) => {
    const parsed = parseUuid(value)
    if (parsed.ok && parsed.uuid[VERSION_AT] !== '5') return parsed.uuid
    return value.isWellFormed() ? uuidV5(value, namespace) : null
  }
}
