import { setTimeout as delay } from 'node:timers/promises'
import { digest, type FindFleet, type Fleet } from '../../story/fleet.ts'
import { GUARDRAILS, WATCHED_AGENTS } from '../../story/guarding.ts'
import type { Exchange } from '../exchange.ts'

const EVERY_MS = 250

type TelemetryEvent = { id: number; agent: string } & (
  | { kind: 'answer_given'; latency_ms: number }
  | { kind: 'guardrail_tripped'; guardrail: string | null }
)

/** The same for the same team and number, every time: a stream that goes on elsewhere can be compared. */
export function telemetryEvent(team: string, id: number, fleet?: Fleet): TelemetryEvent {
  const seed = digest(`${team}/${id}`)
  const watched = fleet && pick(WATCHED_AGENTS, seed, 0)
  const agent = (watched && fleet.ids[watched]) ?? `${team.slice(0, -4)}${seed.toString('hex', 0, 2)}`
  const guardrail = seed.readUInt8(3) % 2 ? pick(GUARDRAILS, seed, 1).name : null
  return seed.readUInt8(2) % 4 === 0
    ? { kind: 'guardrail_tripped', id, agent, guardrail }
    : { kind: 'answer_given', id, agent, latency_ms: seed.readUInt16BE(4) % 2_000 }
}

const pick = <T>(from: readonly T[], seed: Buffer, at: number): T =>
  from[seed.readUInt8(at) % from.length] as T

/** Server-sent events until the caller leaves, or has as many as it asked for. */
export async function streamTelemetry(exchange: Exchange, fleetOf: FindFleet): Promise<void> {
  const { request, response, caller, query } = exchange
  let id: number = query['Last-Event-ID'] ?? 0
  const end = id + (query.limit ?? Number.POSITIVE_INFINITY)

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const write = () => {
    const event = telemetryEvent(caller.team, ++id, fleetOf(caller.team))
    response.write(`id: ${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  write()
  try {
    while (id < end) {
      await delay(EVERY_MS, undefined, { signal: gone.signal })
      write()
    }
    response.end()
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}
