/** The values of an agent that the console keeps as secrets. */
export const SECRET_PLACES: readonly (readonly string[])[] = [
  ['api_key'],
  ['white_box_config', 'github_token'],
]

/** Whether a value for this path has a secret below it. */
export const holdsSecret = (path: readonly string[], value: unknown): boolean =>
  SECRET_PLACES.filter((place) => path.every((member, index) => place[index] === member)).some(
    (place) => typeof memberOf(value, place.slice(path.length)) === 'string',
  )

const memberOf = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, member) => (inner as Record<string, unknown> | null | undefined)?.[member], value)

export const isSecretPlace = (path: readonly (string | number)[]): boolean =>
  SECRET_PLACES.some((place) => place.join('.') === path.join('.'))
