import { parseArgs } from 'node:util'
import { DevError } from './dev-error.ts'

export interface Options {
  isReset: boolean
  isHelp: boolean
}

export const HELP = `npm run dev [-- --reset]

Starts the console and everything it needs on this machine, with a demonstration fleet. Ctrl-C ends all of it.
Data, keys, token and logs are kept in .dev, and are there again at the next start.

  --reset   starts afresh: forgets .dev, and drops the database agent_console_dev if that is the one in use
  --help    prints this

By environment, all optional:
  DATABASE_URL, or PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE   another database; created if it does not exist
  NATS_URL, NATS_STREAM, NATS_SUBJECT_PREFIX                        another NATS with JetStream
  HOST (127.0.0.1), PORT (8080), METRICS_PORT (9464)                where the console listens
  ISSUER_PORT (8081), EVOLUTION_PORT (8082)                         where the issuer and the evolution service listen
  TEAMS_PORT, EVALUATION_PORT, PROTECTION_PORT, RED_TEAM_PORT, ENVIRONMENT_PORT (8083 to 8087)
  LOG_LEVEL (info)                                                  of the console, in .dev/logs/console.log
  DEV_SERVERS=own                                                   starts PostgreSQL and NATS in .dev, whatever else runs
  DEV_FOLDER (.dev)                                                 another folder: a second one needs its own ports
  NO_COLOR                                                          prints without colour
`

export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        reset: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return { isReset: values.reset, isHelp: values.help }
  } catch (error) {
    throw new DevError(`${(error as Error).message}. npm run dev -- --help lists the options.`)
  }
}
