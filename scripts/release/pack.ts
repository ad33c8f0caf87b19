import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

export const PACKAGES = ['sdk', 'cli'] as const
export type Package = (typeof PACKAGES)[number]

export interface Packed {
  tarball: string
  /** Where it was unpacked. */
  folder: string
  files: { path: string; size: number }[]
}

/** Builds a package in a copy, packs it with npm and unpacks it again, all below `place`. */
export async function pack(name: Package, place: string): Promise<Packed> {
  const copy = join(place, name)
  await cp(join(ROOT, name), copy, {
    recursive: true,
    filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
  })
  await BUILDS[name](copy)
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
    cwd: copy,
  })
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string; size: number }[] }[]
  if (!packed) throw new Error(`npm packed nothing of ${name}`)
  const tarball = join(place, packed.filename)
  const folder = join(place, `${name}-unpacked`)
  await mkdir(folder)
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  return { tarball, folder, files: packed.files }
}

const BUILDS: Record<Package, (folder: string) => Promise<unknown>> = {
  sdk: async (folder) => {
    // The settings of the SDK extend those of the root.
    await cp(join(ROOT, 'tsconfig.json'), join(folder, '../tsconfig.json'))
    await run(process.execPath, [join(ROOT, 'node_modules/.bin/tsc'), '-p', folder])
  },
  cli: (folder) =>
    run(process.execPath, [
      '--conditions=agent-console-source',
      join(ROOT, 'cli/scripts/build.ts'),
      join(folder, 'dist'),
    ]),
}

/** Every other file is a fault. */
const ALLOWED: Record<Package, RegExp> = {
  sdk: /^(?:package\.json|README\.md|LICENSE|src\/[\w/-]+\.ts|dist\/[\w/-]+\.(?:js|d\.ts|d\.ts\.map))$/,
  cli: /^(?:package\.json|README\.md|LICENSE|dist\/(?:agent-console\.js|agent-console\.1|licenses\.txt|chunks\/[\w-]+\.js))$/,
}

const NEEDED: Record<Package, readonly string[]> = {
  sdk: ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts'],
  cli: ['LICENSE', 'README.md', 'dist/agent-console.js', 'dist/agent-console.1', 'dist/licenses.txt'],
}

const MAX_UNPACKED_BYTES: Record<Package, number> = { sdk: 2_000_000, cli: 450_000 }

/** What must not be in a package, or is missing. */
export async function findPackageFaults(name: Package, { folder, files }: Packed): Promise<string[]> {
  const paths = files.map(({ path }) => path)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const faults = [
    ...paths.filter((path) => !ALLOWED[name].test(path)).map((path) => `${path} must not be in it`),
    ...NEEDED[name].filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
    ...(size > MAX_UNPACKED_BYTES[name] ? [`it has ${size} bytes`] : []),
  ]
  const license = await readFile(join(ROOT, 'LICENSE'), 'utf8')
  for (const path of paths) {
    const text = await readFile(join(folder, path), 'utf8')
    if (path === 'LICENSE' && text !== license) faults.push('its LICENSE is another one')
    // Of the machine that built it.
    if (text.includes(ROOT)) faults.push(`${path} contains the path of the build`)
  }
  return [...faults, ...findManifestFaults(await readFile(join(folder, 'package.json'), 'utf8'))]
}

interface Manifest {
  private?: boolean
  license?: string
  dependencies?: Record<string, string>
  scripts?: Record<string, string>
  publishConfig?: { access?: string; provenance?: boolean }
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']

function findManifestFaults(text: string): string[] {
  const { private: isPrivate, license, dependencies, scripts, publishConfig } = JSON.parse(text) as Manifest
  return [
    ...(isPrivate ? ['it is private'] : []),
    ...(license === 'Apache-2.0' ? [] : ['its license is not Apache-2.0']),
    ...(dependencies ? ['it has dependencies'] : []),
    // Otherwise `npm pack` in a fresh clone makes a package without `dist`.
    ...(scripts?.['prepack'] === 'npm run build' ? [] : ['prepack does not build it']),
    ...INSTALL_SCRIPTS.filter((script) => scripts?.[script]).map((script) => `it runs ${script}`),
    ...(publishConfig?.access === 'public' ? [] : ['publishConfig.access is not public']),
    ...(publishConfig?.provenance === true ? [] : ['publishConfig.provenance is not true']),
  ]
}

/** Everything that `npm publish` does, except for the upload. */
export async function publishDryRun({ tarball, folder }: Packed): Promise<void> {
  await run('npm', ['publish', tarball, '--dry-run', '--offline', '--ignore-scripts'], { cwd: folder })
}
