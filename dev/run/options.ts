import { parseArgs } from 'node:util'
import { DevError } from './dev-error.ts'

export interface Options {
  isReset: boolean
  isHelp: boolean
}

export const HELP = `npm run dev [-- --reset]

Starts the console and everything it needs on this machine, with demo agents. Ctrl-C ends all of it.
Data, keys, token and logs are kept in .dev, and are there again at the next start.

  --reset   starts afresh: forgets .dev, and drops the database agent_console_dev and the stream of
            the events if they are in use
  --help    prints this

By environment, all optional:
  DATABASE_URL, or PGHOST, PGPORT,           another database; created if it does not exist
    PGUSER, PGPASSWORD, PGDATABASE
  NATS_URL, NATS_STREAM                      another NATS with JetStream, another stream
  REDIS_URL, REDIS_PREFIX                    another Redis; without it the console counts by itself
  HOST (127.0.0.1), PORT (8080)              where the console listens
  METRICS_PORT (9464)                        where the console serves its metrics
  ISSUER_PORT (8081), EVOLUTION_PORT (8082), where the issuer and the services listen
    TEAMS_PORT, EVALUATION_PORT, PROTECTION_PORT, RED_TEAM_PORT, ENVIRONMENT_PORT (8083 to 8087)
  LOG_LEVEL (info)                           of the console, in .dev/logs/console.log
  DEV_SERVERS=own                            starts PostgreSQL and NATS in .dev, whatever else runs
  DEV_FOLDER (.dev)                          another folder; a second one needs its own ports,
                                             and its own PGDATABASE or DEV_SERVERS=own
  WEB_FOLDER (web/dist), NO_COLOR            another build of the browser console; no colour
`

export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  // Without `--` npm keeps an option for itself, and this process sees it only in a variable.
  if (environment['npm_config_reset'] && !args.includes('--reset')) {
    throw new DevError('npm kept --reset for itself. Write: npm run dev -- --reset')
  }
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
