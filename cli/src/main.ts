#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { VERSION } from './version.ts'

// Before anything else is loaded: it keeps compiled code between runs.
enableCompileCache()

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  const { runProcess } = await import('./process.ts')
  await runProcess(argv)
}
