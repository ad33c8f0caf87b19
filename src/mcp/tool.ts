import {
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Static, TSchema } from 'typebox'
import type { Permission } from '../contract/permissions.ts'
import { PermissionMissing } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import { type Call, callOf } from './call.ts'
import { type Confirmations, QUESTION } from './confirmation.ts'
import { errorResult, toErrorResult } from './error-sentence.ts'
import { compileArguments, listedSchema } from './schema.ts'

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
  run: (args: Static<Input>, call: Call) => Promise<ToolResult>
  /** The question to the user before `run`; undefined if there is nothing to ask. */
  question?: (args: Static<Input>, call: Call) => Promise<string | undefined>
}

export interface Tool {
  name: string
  permission: Permission
  register: (server: McpServer) => void
}

export function defineTool<Input extends TSchema>(
  definition: ToolDefinition<Input>,
  confirmations: Confirmations,
): Tool {
  const { name, title, description, permission, effect, input, output, run, question } = definition
  const checkArguments: (given: unknown) => asserts given is Static<Input> = compileArguments(input)
  const perform = async (args: Static<Input>, call: Call): Promise<CallToolResult> => {
    const { summary, data, uri } = await run(args, call)
    const link = uri === undefined ? [] : [{ type: 'resource_link' as const, uri, name: uri }]
    return {
      content: [{ type: 'text', text: summary }, ...link],
      structuredContent: { ...data, request_id: call.caller.requestId },
    }
  }
  const handle = async (
    args: unknown,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const call = callOf(context)
    try {
      checkArguments(args)
      if (!question || !call.canAskUser) return await perform(args, call)
      // The server has verified the state.
      if (context.mcpReq.requestState() === undefined) {
        const text = await question(args, call)
        return text === undefined ? await perform(args, call) : confirmations.ask(call, text)
      }
      const response = inputResponse(context.mcpReq.inputResponses, QUESTION)
      const isConfirmed =
        response.kind === 'elicit' && response.action === 'accept' && response.content?.['confirm'] === true
      if (isConfirmed) return await perform(args, call)
      return errorResult('The user did not confirm the change. Nothing was changed.', call.caller.requestId)
    } catch (error) {
      if (error instanceof PermissionMissing) await call.recordRefusal(error.permission, agentIdOf(args))
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

function agentIdOf(args: unknown): string | null {
  const parsed = parseUuid(String((args as { id?: unknown } | undefined)?.id))
  return parsed.ok ? parsed.uuid : null
}
