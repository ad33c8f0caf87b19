import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { manPage } from '../src/help/man.ts'
import { licensesOf } from './licenses.ts'

/** Writes `dist`: one small file that every call loads, and one for each command. */
export async function buildCli(folder: string = join(import.meta.dirname, '../dist')): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const { output } = await build({
    input: { 'agent-console': join(import.meta.dirname, '../src/main.ts') },
    platform: 'neutral',
    // Native code cannot be bundled. Where it is not installed, the program says so.
    external: [/^node:/, '@napi-rs/keyring'],
    // Without `node`: the package yaml then comes as modules, of which the unused ones are left out.
    resolve: { conditionNames: ['agent-console-source', 'import', 'default'] },
    output: {
      dir: folder,
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
    logLevel: 'warn',
  })
  const moduleIds = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  await writeFile(join(folder, 'licenses.txt'), await licensesOf(moduleIds))
  await chmod(join(folder, 'agent-console.js'), 0o755)
  await writeFile(join(folder, 'agent-console.1'), manPage())
}

if (import.meta.main) await buildCli(process.argv[2])
