/** Class names without the absent ones. */
export function join(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
