import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from '../evolution-service/answer.ts'
import { receive } from '../evolution-service/received.ts'
import type { FindFleet } from '../story/fleet.ts'

export interface Caller {
  user: string
  team: string
}

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  caller: Caller
  /** A parameter of the path, decoded. */
  param: (name: string) => string
  query: URLSearchParams
}

/** Undefined when the handler answers by itself, as one that streams does. */
export type Handler = (exchange: Exchange) => Promise<Answer | undefined> | Answer | undefined

/** A demonstration service: what it does when it behaves. */
export interface Demo {
  /** By method and path, `GET /v1/teams/{team_id}`. */
  routes: Record<string, Handler>
  /** No two services say no in the same form. */
  refuse: (refusal: Refusal) => Answer
  close?: () => Promise<void>
}

/** What a demonstration service starts with. */
export interface DemoContext {
  /** The agents of a team that the service tells of from the start. */
  fleetOf: FindFleet
  /** Where it keeps files; a temporary folder of its own when absent. */
  folder?: string | undefined
}

export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** The part of the body that is at fault. */
  readonly field: string | undefined

  constructor(
    status: number,
    message: string,
    { headers = {}, field }: { headers?: Record<string, string> | undefined; field?: string } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
    this.field = field
  }
}

export async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const received = await receive(request)
  try {
    const value = JSON.parse(String(received?.body)) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below, as for any other value that is no object.
  }
  throw new Refusal(422, 'The body must be a JSON object')
}

/** A whole number of the query or of a header; undefined where there is none. */
export function readInteger(name: string, text: string | null | undefined, least: number) {
  if (text === null || text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) < least) {
    throw new Refusal(422, `${name} must be a whole number of at least ${least}`, { field: name })
  }
  return Number(text)
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000)
