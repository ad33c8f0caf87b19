import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FindFleet } from '../story/fleet.ts'
import type { Answer } from './answer.ts'

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
  /** The parameters of query and headers that the document declares, with their types and defaults. */
  // oxlint-disable-next-line typescript/no-explicit-any -- checked against the document of the service
  query: any
  /** The JSON body, as the document declares it. Undefined where it declares none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- checked against the document of the service
  body: any
}

/** Undefined when the handler answers by itself, as one that streams does. */
export type Handler = (exchange: Exchange) => Promise<Answer | undefined> | Answer | undefined

/** A demonstration service. */
export interface Demo {
  /** By method and path, `GET /v1/teams/{team_id}`. */
  routes: Record<string, Handler>
  /** No two services refuse in the same form. */
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

/** The response is an error. `field` is the one that is at fault. */
export class Refusal extends Error {
  readonly status: number
  readonly options: { headers?: Record<string, string>; field?: string }

  constructor(status: number, message: string, options: Refusal['options'] = {}) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.options = options
  }
}

/** What a service keeps for each team, made when the team first asks. */
export function perTeam<Kept>(make: (caller: Caller) => Kept): (caller: Caller) => Kept {
  const teams = new Map<string, Kept>()
  return (caller) => {
    const kept = teams.get(caller.team) ?? make(caller)
    teams.set(caller.team, kept)
    return kept
  }
}

export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Refusal(404, `There is no such ${what}`)
  return value
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000)

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
