import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/** Vite lists the licences of the packages whose scripts it bundles. This adds those of fonts and other files of packages. */
export function licencesOfFiles(list: string): Plugin {
  return {
    name: 'licences-of-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle).flatMap((file) =>
          file.type === 'asset' ? file.originalFileNames : [],
        )
        const folders = new Set(files.filter((file) => file.includes('node_modules/')).map(packageOf))
        const written = bundle[list]
        if (written?.type !== 'asset') throw new Error(`The build has not written ${list}`)
        written.source = [
          written.source.toString().trimEnd(),
          ...[...folders].toSorted().map(describe),
          '',
        ].join('\n\n')
      },
    },
  }
}

/** The folder of the package that has a file, relative to this workspace. */
function packageOf(file: string): string {
  const [folder = ''] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  return folder
}

function describe(folder: string): string {
  const place = join(dirname(import.meta.dirname), folder)
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  return `## ${name} - ${version} (${license})\n\n${readFileSync(join(place, 'LICENSE'), 'utf8').trim()}`
}
