import {
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Static, TSchema } from 'typebox'
import type { AgentCreate, AgentUpdate } from '../../agent/schema.ts'
import type { Caller, Permission } from '../../api/caller.ts'
import { PermissionMissing } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import type { Core } from '../../core.ts'
import { checkReason } from '../../http/request.ts'
import { askUser, type Call, callOf, QUESTION } from './call.ts'
import { errorResult, toErrorResult } from './errors.ts'
import { listedSchema } from './schema.ts'

/** What the tools use. */
export interface ToolContext {
  core: Core
  /** Validate as the API validates a body. */
  checkCreate: (value: unknown) => AgentCreate
  checkUpdate: (value: unknown) => AgentUpdate
}

export interface ToolResult {
  /** For readers. It contains no text of an agent, because hosts may show it to the model outside of the data. */
  summary: string
  /** Matches the output schema. */
  data: Record<string, unknown>
  /** The agent that the result is about. */
  uri?: string
}

export interface Tool<Input extends TSchema = TSchema> {
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
  run: (context: ToolContext, args: Static<Input>, caller: Caller) => Promise<ToolResult>
  /** The question to the user before `run`; undefined if there is nothing to ask. */
  question?: (context: ToolContext, args: Static<Input>, caller: Caller) => Promise<string | undefined>
}

/** The type of the arguments follows from `input`. */
export function defineTool<Input extends TSchema>(tool: Tool<Input>): Tool {
  return tool
}

/** Returns a function that adds the tool to the server of a request. Compiles the schemas. */
export function prepareTool(
  tool: Tool,
  context: ToolContext,
  checkArguments: (given: unknown) => unknown,
): (server: McpServer) => void {
  const handle = async (given: unknown, serverContext: ServerContext) => {
    const call = callOf(serverContext)
    try {
      return await answerCall(tool, context, checkArguments(given), call, serverContext)
    } catch (error) {
      if (error instanceof PermissionMissing) await call.recordRefusal(error.permission, agentIdOf(given))
      return toErrorResult(error, call)
    }
  }
  const { name, title, description, effect, input, output } = tool
  const config = {
    title,
    description,
    inputSchema: listedSchema(tool.listedInput ?? input),
    outputSchema: listedSchema(output),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'replaces',
      idempotentHint: true,
      openWorldHint: false,
    },
  }
  return (server) => void server.registerTool(name, config, handle)
}

async function answerCall(
  tool: Tool,
  context: ToolContext,
  args: unknown,
  call: Call,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!tool.question || !call.canAskUser) return runTool(tool, context, args, call)
  // The server has verified the state.
  if (mcpReq.requestState() === undefined) {
    const text = await tool.question(context, args, call.caller)
    return text === undefined ? runTool(tool, context, args, call) : askUser(context.core, call, text)
  }
  const response = inputResponse(mcpReq.inputResponses, QUESTION)
  const isConfirmed =
    response.kind === 'elicit' && response.action === 'accept' && response.content?.['confirm'] === true
  if (isConfirmed) return runTool(tool, context, args, call)
  return errorResult('The user did not confirm the change. Nothing was changed.', call.caller.requestId)
}

async function runTool(tool: Tool, context: ToolContext, args: unknown, call: Call): Promise<CallToolResult> {
  const { reason = '' } = args as { reason?: string }
  const text = checkReason(reason, ['arguments', 'reason'])
  const caller = text === '' ? call.caller : { ...call.caller, reason: text }
  const { summary, data, uri } = await tool.run(context, args, caller)
  const link = uri === undefined ? [] : [{ type: 'resource_link' as const, uri, name: uri }]
  return {
    content: [{ type: 'text', text: summary }, ...link],
    structuredContent: { ...data, request_id: caller.requestId },
  }
}

export const agentUri = (id: string) => `agent://${id}`
export const revisionUri = (id: string, revision: number) => `agent://${id}/revisions/${revision}`

function agentIdOf(args: unknown): string | null {
  const parsed = parseUuid(String((args as { id?: unknown } | undefined)?.id))
  return parsed.ok ? parsed.uuid : null
}
