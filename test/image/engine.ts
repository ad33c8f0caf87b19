import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBases } from './bases.ts'
import { isInstalled, run } from './command.ts'

const IMAGE = 'localhost/agent-console:try'
const HOW_TO = `Neither a Docker engine nor buildah and podman were found.
  Debian, Ubuntu:  apt-get install buildah podman runc mmdebstrap
  elsewhere:       install Docker`

export interface Engine {
  name: string
  image: string
  /** What comes before a subcommand: `podman --root …`. */
  command: string[]
  /** Options of `run` that this engine needs. */
  runOptions: string[]
  /** Returns what the build printed. */
  build: () => Promise<string>
  /** Removes the image and everything that was made for it. */
  remove: () => Promise<void>
}

export async function findEngine(context: string): Promise<Engine> {
  if (await isInstalled('docker', 'info')) return useDocker(context)
  const tools = ['buildah', 'podman', 'mmdebstrap']
  const found = await Promise.all(tools.map((tool) => isInstalled(tool, '--version')))
  if (found.includes(false)) throw new Error(HOW_TO)
  return usePodman(context)
}

/** Builds from the public bases. */
function useDocker(context: string): Engine {
  return {
    name: 'docker, public bases',
    image: IMAGE,
    command: ['docker'],
    runOptions: [],
    build: () => run('docker', 'build', '--progress=plain', '--tag', IMAGE, context),
    remove: async () => {
      await run('docker', 'image', 'rm', '--force', IMAGE)
    },
  }
}

/** Builds from bases made here, in a storage of its own, so that no other image is touched. */
async function usePodman(context: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-console-image-'))
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  // crun, the default, refuses to start on machines with both versions of cgroups.
  const runtime = (await isInstalled('runc', '--version')) ? ['--runtime', 'runc'] : []
  return {
    name: 'buildah and podman, bases made from Debian packages',
    image: IMAGE,
    command: ['podman', ...storage, ...runtime],
    // Podman raises these limits by default, which needs a privilege that root in a container does not have.
    runOptions: ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096'],
    build: async () => {
      const bases = await makeBases(storage, folder)
      const certificates = process.env['NODE_EXTRA_CA_CERTS']
      return run(
        'buildah',
        ...storage,
        'build',
        '--isolation=chroot',
        '--format=docker',
        `--build-arg=BUILD_BASE=${bases.build}`,
        `--build-arg=RUNTIME_BASE=${bases.runtime}`,
        ...(certificates
          ? [`--secret=id=ca,src=${certificates}`, '--build-arg=NODE_EXTRA_CA_CERTS=/run/secrets/ca']
          : []),
        `--tag=${IMAGE}`,
        context,
      )
    },
    remove: async () => {
      await run('podman', ...storage, ...runtime, 'rm', '--all', '--force')
      await run('buildah', ...storage, 'rmi', '--all', '--force')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
