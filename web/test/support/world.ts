import { webClientId } from '../../../dev/issuer/client.ts'
import { type DemoPerson, EXAMPLE } from '../../../dev/issuer/people.ts'
import { withClient } from '../../../dev/run/database.ts'
import { seedFleet } from '../../../dev/story/seed.ts'
import { closeAfter } from '../../../test/support/close-after.ts'
import { type ConsoleOptions, startConsole, type TestConsole } from '../../../test/support/console.ts'
import { startIssuer } from '../../../test/support/issuer/issuer.ts'
import { createTestNats } from '../../../test/support/nats.ts'

export interface World {
  url: string
  running: TestConsole
  /** Ids of the agents of the demonstration by their key, such as `invoices`. Empty without a fleet. */
  agents: Record<string, string>
  /** A token of a demo person, to act beside the browser. */
  tokenOf: (person: DemoPerson['key']) => Promise<string>
  close: () => Promise<void>
}

export interface WorldOptions extends Omit<ConsoleOptions, 'issuer'> {
  /** false: no agents. */
  fleet?: boolean
  /** Lifetime of the tokens that browsers get. */
  tokenSeconds?: number
}

/** A console as production builds it, with the built web, issuer, database and NATS of its own. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { fleet = true, tokenSeconds, environment, ...rest } = options
  const lifetime = tokenSeconds === undefined ? {} : { personTokenSeconds: tokenSeconds }
  const [issuer, nats] = await Promise.all([startIssuer(lifetime), createTestNats()])
  const running = await startConsole({
    ...rest,
    issuer,
    environment: { ...nats.environment, WEB_CLIENT_ID: webClientId, ...environment },
  })
  issuer.registerConsole(running.url)
  return {
    url: running.url,
    running,
    agents: fleet ? await makeFleet(running) : {},
    tokenOf: (key) => {
      const person = issuer.people.find((each) => each.key === key)
      if (person === undefined || person.team === null) throw new Error(`${key} has no team`)
      return issuer.token({ user: person.user, team: person.team, scope: person.permissions.join(' ') })
    },
    close: async () => {
      await running.close()
      await nats.remove()
    },
  }
}

/** A world for the tests of the calling suite. */
export async function useWorld(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(options)
  closeAfter(() => world.close())
  return world
}

async function makeFleet({ url, issuer, database }: TestConsole): Promise<Record<string, string>> {
  const { team, user } = EXAMPLE
  const { ids } = await withClient(database.url, (client) =>
    seedFleet({
      ...{ apiUrl: url, team, user, database: client },
      madeAt: Math.floor(Date.now() / 1000),
      tokenOf: (one) => issuer.token({ user: one, team }),
      check: () => undefined,
    }),
  )
  return ids
}
