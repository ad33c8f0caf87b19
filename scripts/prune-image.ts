import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Removes from node_modules what no process of the console reads, and prints how much that was. */

const RULES: Record<string, (path: string) => boolean> = {
  // Node refuses to run TypeScript below node_modules, so no package can depend on these files.
  'TypeScript sources and type files': (path) => /\.[mc]?ts$/.test(path),
  // Read only with --enable-source-maps, which the image does not set.
  'source maps': (path) => path.endsWith('.map'),
  // Only at the top of a package: `yaml/dist/doc` is code.
  'tests, documentation, examples and benchmarks': (path) =>
    /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/(?:tests?|docs|examples?|bench|benchmarks?|\.github)\//.test(
      path,
    ),
  'texts other than licences': (path) =>
    /\.(?:md|markdown)$/.test(path) && !/licen[cs]e|notice|copying|authors/i.test(path),
}

interface Pruned {
  rule: string
  files: number
  bytes: number
}

/** `folder` is the one that contains node_modules. */
export function prune(folder: string): Pruned[] {
  const paths = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const left = new Set(paths)
  return Object.entries(RULES).map(([rule, applies]) => {
    const found = [...left].filter(applies)
    const bytes = found.reduce((total, path) => total + statSync(path).size, 0)
    for (const path of found) {
      rmSync(path)
      left.delete(path)
    }
    return { rule, files: found.length, bytes }
  })
}

if (import.meta.main) {
  for (const { rule, files, bytes } of prune(process.argv[2] ?? '.')) {
    process.stdout.write(`removed ${files} files, ${(bytes / 1e6).toFixed(1)} MB: ${rule}\n`)
  }
}
