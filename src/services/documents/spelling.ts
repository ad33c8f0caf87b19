/** `red-team` -> `RedTeam` */
export const pascalCase = (name: string) => name.split('-').map(capitalised).join('')

/** `red-team` -> `redTeam` */
export function camelCase(name: string): string {
  const [first = '', ...rest] = name.split('-')
  return first + rest.map(capitalised).join('')
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
