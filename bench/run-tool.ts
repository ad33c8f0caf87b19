import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs a program and returns its output. A missing program is reported with the package that has it. */
export async function runTool(program: string, aptPackage: string, args: string[]): Promise<string> {
  const { stdout } = await run(program, args).catch((error: Error & { code?: string }) => {
    if (error.code === 'ENOENT') throw new Error(`${program} is not installed: apt-get install ${aptPackage}`)
    throw error
  })
  return stdout
}
