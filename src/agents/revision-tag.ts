/** The revision of an agent is its entity tag. */

export function toETag(revision: number): string {
  return `"${revision}"`
}

/** The revisions `If-Match` accepts, or null when it accepts any (RFC 9110 section 13.1.1). A weak tag
 * and a tag in another format match nothing. */
export function revisionsToMatch(ifMatch: string | undefined): number[] | null {
  if (ifMatch === undefined || ifMatch.trim() === '*') return null
  return ifMatch
    .split(',')
    .map((tag) => /^"([1-9]\d{0,14})"$/.exec(tag.trim())?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
}

/** Whether `If-None-Match` names this revision, so that the response is a 304 (section 13.1.2). */
export function isKnownToReader(ifNoneMatch: string | undefined, revision: number): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === toETag(revision))
}
