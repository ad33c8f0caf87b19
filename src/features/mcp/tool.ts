import {
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Static, TSchema } from 'typebox'
import type { Agents } from '../../agent/agents.ts'
import type { Evaluations } from '../../agent/evaluations/routes.ts'
import type { History } from '../../agent/history/history.ts'
import type { Caller, Permission } from '../../api/caller.ts'
import { PermissionMissing } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import type { AgentList } from '../list/feature.ts'
import { type Call, type Confirmations, callOf, QUESTION } from './call.ts'
import { errorResult, toErrorResult } from './errors.ts'
import { listedSchema } from './schema.ts'

/** What the tools use: the functions behind the API, called with the same caller. */
export interface Console {
  agents: Agents
  history: History
  evaluations: Evaluations
  list: AgentList
  /** Validates as the API validates a body. */
  bodyCheck: <Schema extends TSchema>(schema: Schema) => (value: unknown) => Static<Schema>
  /** Returns the reason without spaces around it. */
  checkReason: (reason: string, loc: string[]) => string
}

export interface ToolResult {
  /** For readers. It contains no text of an agent, because hosts may show it to the model outside of the data. */
  summary: string
  /** Matches the output schema. */
  data: Record<string, unknown>
  /** The agent that the result is about. */
  uri?: string
}

interface ToolDefinition<Input extends TSchema> {
  name: string
  title: string
  description: string
  permission: Permission
  /** `reads` changes nothing; `adds` creates; `replaces` overwrites values. */
  effect: 'reads' | 'adds' | 'replaces'
  input: Input
  /** A shorter form of `input` for the list of tools. Default: the same. */
  listedInput?: TSchema
  output: TSchema
  /** The caller has the reason of the arguments. */
  run: (args: Static<Input>, caller: Caller) => Promise<ToolResult>
  /** The question to the user before `run`; undefined if there is nothing to ask. */
  question?: (args: Static<Input>, caller: Caller) => Promise<string | undefined>
}

export interface Tool {
  name: string
  permission: Permission
  register: (server: McpServer) => void
}

export class ToolMaker {
  readonly #console: Console
  readonly #confirmations: Confirmations

  constructor(console: Console, confirmations: Confirmations) {
    this.#console = console
    this.#confirmations = confirmations
  }

  /** Call it once for each tool: it compiles the schemas. */
  make<Input extends TSchema>(definition: ToolDefinition<Input>): Tool {
    const { name, title, description, permission, effect, input, output } = definition
    const checkArguments = this.#console.bodyCheck(input)
    const handle = async (given: unknown, context: ServerContext) => {
      const call = callOf(context)
      try {
        const args = checkArguments(given)
        return await this.#answer(definition, args, call, context)
      } catch (error) {
        if (error instanceof PermissionMissing) await call.recordRefusal(error.permission, agentIdOf(given))
        return toErrorResult(error, call)
      }
    }
    const config = {
      title,
      description,
      inputSchema: listedSchema(definition.listedInput ?? input),
      outputSchema: listedSchema(output),
      annotations: {
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'replaces',
        idempotentHint: true,
        openWorldHint: false,
      },
    }
    return {
      name,
      permission,
      register: (server) => void server.registerTool(name, config, handle),
    }
  }

  async #answer<Input extends TSchema>(
    definition: ToolDefinition<Input>,
    args: Static<Input>,
    call: Call,
    { mcpReq }: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { question } = definition
    if (!question || !call.canAskUser) return this.#perform(definition, args, call)
    // The server has verified the state.
    if (mcpReq.requestState() === undefined) {
      const text = await question(args, call.caller)
      if (text === undefined) return this.#perform(definition, args, call)
      return this.#confirmations.ask(call, text)
    }
    const response = inputResponse(mcpReq.inputResponses, QUESTION)
    const isConfirmed =
      response.kind === 'elicit' && response.action === 'accept' && response.content?.['confirm'] === true
    if (isConfirmed) return this.#perform(definition, args, call)
    return errorResult('The user did not confirm the change. Nothing was changed.', call.caller.requestId)
  }

  async #perform<Input extends TSchema>(
    { run }: ToolDefinition<Input>,
    args: Static<Input>,
    call: Call,
  ): Promise<CallToolResult> {
    const { reason = '' } = args as { reason?: string }
    const text = this.#console.checkReason(reason, ['arguments', 'reason'])
    const caller = text === '' ? call.caller : { ...call.caller, reason: text }
    const { summary, data, uri } = await run(args, caller)
    const link = uri === undefined ? [] : [{ type: 'resource_link' as const, uri, name: uri }]
    return {
      content: [{ type: 'text', text: summary }, ...link],
      structuredContent: { ...data, request_id: caller.requestId },
    }
  }
}

export const agentUri = (id: string) => `agent://${id}`
export const revisionUri = (id: string, revision: number) => `agent://${id}/revisions/${revision}`

function agentIdOf(args: unknown): string | null {
  const parsed = parseUuid(String((args as { id?: unknown } | undefined)?.id))
  return parsed.ok ? parsed.uuid : null
}
