/**
 * How a value is written in the form.
 * text: one line; lines: several; list: texts with commas between them; urls: one a line; decimal: digits kept as
 * text; time: Unix seconds; json: an object; rest: the members of an open object that have no field of their own.
 */
export type Kind =
  | 'text'
  | 'lines'
  | 'prompt'
  | 'code'
  | 'list'
  | 'urls'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'time'
  | 'select'
  | 'switch'
  | 'json'
  | 'rest'

export const GROUPS = {
  identity: ['Identity', 'What people see'],
  model: ['Model', 'Where it answers from'],
  prompt: ['System prompt', ''],
  parameters: ['Parameters', 'Empty means the model’s own default'],
  access: ['Access and MCP', 'What tests may see, and what the agent may reach'],
  white_box: ['White box', 'Source code, for the access level white box'],
  delegation: ['Delegation', 'Agents that it passes work to'],
  guard: ['Guard', 'Protection in front of it'],
  metadata: ['Metadata', 'For people and services; does not change behaviour'],
} as const

export type GroupId = keyof typeof GROUPS

export interface FieldSpec {
  /** Member of the agent, or member of a nested object after a slash; `*` for the rest of it. */
  path: string
  label: string
  /** In the form, where the heading of the group says the rest. */
  formLabel?: string
  kind: Kind
  group: GroupId
  /** Quarters of the width of the form. */
  width: 1 | 2 | 4
  /** The API ignores null here, so an empty field is a fault. */
  required?: true
  options?: Record<string, string>
  hint?: string
  unit?: string
  placeholder?: string
  mono?: true
}
