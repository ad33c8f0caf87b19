import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.ts'

/** Both bases of the Dockerfile, made from Debian packages and the Node that runs this script: for a machine that
 * reaches package mirrors but no image registry. */

const SUITE = 'bookworm'
const NPM = 'npm@11.21.1'
/** What the public runtime base holds, too. */
const RUNTIME_PACKAGES = 'libstdc++6,libc6,libgcc-s1,ca-certificates,tzdata,base-files,netbase'
/** `env`, for the first line of npm's own script, and the shell in which npm runs the scripts of the package. */
const BUILD_PACKAGES = `${RUNTIME_PACKAGES},coreutils,dash`

export interface Bases {
  build: string
  runtime: string
}

/** `storage` are the options of buildah that name where images are kept. */
export async function makeBases(storage: string[], folder: string): Promise<Bases> {
  const runtime = join(folder, 'runtime-base')
  await unpackDebian(runtime, RUNTIME_PACKAGES)

  const build = join(folder, 'build-base')
  await unpackDebian(build, BUILD_PACKAGES)
  const local = join(build, 'usr/local')
  await mkdir(join(local, 'bin'), { recursive: true })
  await copyFile(process.execPath, join(local, 'bin/node'))
  await run('npm', 'install', '--global', '--ignore-scripts', '--prefix', join(folder, 'npm'), NPM)
  await mkdir(join(local, 'lib'), { recursive: true })
  await run('cp', '-r', join(folder, 'npm/lib/node_modules'), join(local, 'lib/node_modules'))
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  await mkdir(join(build, 'tmp'), { recursive: true })

  return {
    build: await commit(storage, build, 'localhost/build-base'),
    runtime: await commit(storage, runtime, 'localhost/runtime-base'),
  }
}

/** Unpacks packages and runs none of their scripts: no shell, no users, a few megabytes. */
async function unpackDebian(folder: string, packages: string): Promise<void> {
  await run('mmdebstrap', '--quiet', '--variant=extract', `--include=${packages}`, SUITE, folder)
}

async function commit(storage: string[], folder: string, name: string): Promise<string> {
  const container = await run('buildah', ...storage, 'from', 'scratch')
  await run('buildah', ...storage, 'add', '--quiet', container, folder, '/')
  await run('buildah', ...storage, 'commit', '--quiet', '--rm', container, name)
  return name
}
