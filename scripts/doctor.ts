import { diagnose } from './doctor/diagnose.ts'
import { formatReport } from './doctor/report.ts'
import { helpOrGoOn } from './options.ts'

const HELP = `npm run doctor

Checks a deployment before it goes into production: configuration, keys, encryption, the
database with its schema, role and connections, clocks, the issuer, NATS, Redis and the
services. It needs the environment of the console, changes nothing and prints no secret.
The exit code is 1 if there is a problem. Lines of advice do not change it.
`

if (import.meta.main) {
  helpOrGoOn(HELP)
  const findings = await diagnose(process.env, Date.now)
  process.stdout.write(`${formatReport(findings)}\n`)
  const hasProblem = findings.some(({ level }) => level === 'problem')
  // A connection that a server does not close must not keep the process.
  process.exit(hasProblem ? 1 : 0)
}
