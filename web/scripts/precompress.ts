import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin, ResolvedConfig } from 'vite'

const COMPRESSED = /\.(?:js|css|svg|html)$/

/** Writes name.gz and name.br beside each text file, so that the server compresses nothing per request. */
export function precompress(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async closeBundle() {
      const folder = join(config.root, config.build.outDir)
      for (const name of await readdir(folder, { recursive: true })) {
        if (COMPRESSED.test(name)) await compress(join(folder, name))
      }
    },
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality))
}
