import { makeBom } from './sbom/cyclonedx.ts'
import { readLock } from './sbom/lock.ts'

/** Prints the software bill of materials of the server. */
if (import.meta.main) process.stdout.write(`${JSON.stringify(makeBom(readLock()), null, 2)}\n`)
