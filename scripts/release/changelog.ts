const UNRELEASED = '## [Unreleased]'

/** What the section of a version says. Undefined if there is none. */
function sectionOf(changelog: string, heading: string): string | undefined {
  const start = changelog.indexOf(`${heading}\n`)
  if (start === -1) return undefined
  const text = changelog.slice(start + heading.length)
  const end = text.indexOf('\n## ')
  return (end === -1 ? text : text.slice(0, end)).trim()
}

/** The section of a version without its date. */
export function notesOf(changelog: string, version: string): string | undefined {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## [${version}] - `))
  return heading === undefined ? undefined : sectionOf(changelog, heading)
}

/** Makes what is not released the section of a version. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (!sectionOf(changelog, UNRELEASED)) throw new Error('CHANGELOG.md has nothing to release')
  if (notesOf(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has ${version} already`)
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`)
}

/** What is wrong with the changelog of a released version. */
export function findChangelogFaults(changelog: string, version: string): string[] {
  return [
    ...(notesOf(changelog, version) ? [] : [`CHANGELOG.md has no notes of ${version}`]),
    ...(sectionOf(changelog, UNRELEASED) ? ['CHANGELOG.md has notes that are not released'] : []),
  ]
}
