/** Whether the console stores `given`, of JSON, as `stored`, which is masked where it is secret. Spellings of a UUID count as different. */
export function isStoredAs(field: string, given: unknown, stored: unknown): boolean {
  if (given === stored) return true
  if (field === 'api_key' || field === 'github_token') return isMaskOf(stored, given)
  if (field === 'test_score') return Number(given ?? Number.NaN) === Number(stored ?? Number.NaN)
  if (Object(given) !== given || Object(stored) !== stored) return false
  const theirs = stored as Record<string, unknown>
  const ours = Object.entries(given as object)
  return (
    ours.length === Object.keys(theirs).length &&
    ours.every(([name, value]) => isStoredAs(field === 'white_box_config' ? name : '', value, theirs[name]))
  )
}

/** Whether a mask shows that the secret is this one. That of a short secret shows nothing of it. */
export const isMaskOf = (stored: unknown, secret: unknown): boolean =>
  mask(secret) === stored && stored.length > 8

/** As the console masks a secret: the last four of at least 20 characters are left. */
export function mask(secret: unknown): string {
  return `********${/^.{16,}(.{4})$/su.exec(String(secret))?.[1] ?? ''}`
}
