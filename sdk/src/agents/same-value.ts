/** Whether the console stores `given` as `stored`, which is masked where it is secret. Spellings of a UUID count as different. */
export function isStoredAs(field: string, given: unknown, stored: unknown): boolean {
  if (given === stored) return true
  if (field === 'api_key' || field === 'github_token') return mask(given) === stored
  if (field === 'test_score') return given !== null && stored !== null && Number(given) === Number(stored)
  if (typeof given !== 'object' || typeof stored !== 'object' || !given || !stored) return false
  if (Array.isArray(given) !== Array.isArray(stored)) return false
  const [ours, theirs] = [given, stored] as [Record<string, unknown>, Record<string, unknown>]
  // A member that is undefined is not sent.
  const names = Object.keys(ours).filter((name) => ours[name] !== undefined)
  return (
    names.length === Object.keys(theirs).length &&
    names.every(
      (name) =>
        Object.hasOwn(theirs, name) &&
        isStoredAs(field === 'white_box_config' ? name : '', ours[name], theirs[name]),
    )
  )
}

/** As the console masks a secret. */
export function mask(secret: unknown): string {
  const characters = Array.from(String(secret))
  return '*'.repeat(8) + (characters.length >= 20 ? characters.slice(-4).join('') : '')
}
