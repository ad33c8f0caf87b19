const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `red-team` -> `RedTeam` */
const pascalCase = (name: string) => name.split('-').map(capitalise).join('')

/** The name of a component or an operation of a service in the combined document. It does not depend on other services. */
export function publishedName(service: string, name: string): string {
  return pascalCase(service) + capitalise(name)
}

/** Whether two services can publish the same name: `red` with `TeamReport`, `red-team` with `Report`. After the
 * service name, the next character of a published name is never a lower-case letter. */
export function canPublishSameName(one: string, other: string): boolean {
  const [short = '', long = ''] = [pascalCase(one), pascalCase(other)].toSorted((a, b) => a.length - b.length)
  return long.startsWith(short) && !/^[a-z]/.test(long.slice(short.length))
}
