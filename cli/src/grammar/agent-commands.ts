import type { Argument, Command, Option } from './types.ts'
import { PROTECTION_STATUSES, SORT_ORDERS, STATUSES, TRUST_STAGES } from './words.ts'

const AGENT: Argument = {
  name: 'AGENT',
  description: 'Id of an agent, SET/KEY, or a name that only one agent has',
}
const REASON: Option = { name: 'reason', value: 'TEXT', description: 'Why; the history shows it' }
const IF_REVISION: Option = {
  name: 'if-revision',
  value: 'N',
  description: 'Change nothing if the agent is at another revision (exit code 5)',
}
const LIMIT: Option = { name: 'limit', value: 'N', description: 'How many to show at most. Default: 100' }
const ALL: Option = { name: 'all', description: 'Show all' }

export const AGENT_COMMANDS: readonly Command[] = [
  {
    path: 'agents list',
    summary: 'List agents',
    details: 'Archived agents are listed only with --status archived.',
    args: [],
    options: [
      {
        ...{ name: 'status', value: 'STATUS', isRepeated: true, complete: STATUSES },
        description: 'Only agents with this status; may be repeated',
      },
      {
        ...{ name: 'stage', value: 'STAGE', isRepeated: true, complete: TRUST_STAGES },
        description: 'Only agents at this trust stage; may be repeated',
      },
      {
        ...{ name: 'protection', value: 'STATUS', isRepeated: true, complete: PROTECTION_STATUSES },
        description: 'Only agents with this protection status; may be repeated',
      },
      {
        ...{ name: 'tag', value: 'TAG', isRepeated: true },
        description: 'Only agents with this tag; may be repeated',
      },
      { name: 'query', value: 'TEXT', description: 'Only agents whose name contains the text' },
      {
        ...{ name: 'sort', value: 'ORDER', complete: SORT_ORDERS },
        description: 'Order: created_at, agent_name or score, with - for descending. Default: -created_at',
      },
      LIMIT,
      ALL,
      { name: 'scores', description: 'Add the latest evaluation of each agent' },
    ],
    examples: [
      { line: 'agents list --status active --sort agent_name', does: 'Active agents by name' },
      {
        line: 'agents list --query invoice -o name',
        does: 'Ids of the agents whose name contains "invoice"',
      },
      { line: 'agents list --all -o json | jq length', does: 'Count all agents' },
    ],
    load: () => import('../commands/agents-list.ts'),
  },
  {
    path: 'agents get',
    summary: 'Show an agent',
    args: [AGENT],
    options: [
      { name: 'revision', value: 'N', description: 'As it was at this revision' },
      { name: 'scores', description: 'Add the latest evaluation' },
    ],
    examples: [
      { line: 'agents get "Invoice helper"', does: 'Show an agent by its name' },
      { line: 'agents get "Invoice helper" -o yaml > agent.yaml', does: 'Save it, for agents create' },
    ],
    load: () => import('../commands/agents-get.ts'),
  },
  {
    path: 'agents create',
    summary: 'Create an agent from a file',
    args: [],
    options: [
      {
        name: 'file',
        short: 'f',
        value: 'FILE',
        description: 'JSON or YAML; - is standard input',
        complete: 'file',
      },
      REASON,
    ],
    examples: [
      { line: 'agents create -f agent.yaml', does: 'Create an agent' },
      {
        line: 'agents create -f - <<< \'{"agent_name": "Helper", "model_name": "gpt-5.4-turbo"}\'',
        does: 'Create an agent without a file',
      },
    ],
    load: () => import('../commands/agents-create.ts'),
  },
  {
    path: 'agents edit',
    summary: 'Change an agent in an editor',
    details:
      'Opens VISUAL or EDITOR with the fields as YAML, or with the text of one field. Only what you changed is written, and ' +
      'only if no other user changed the agent meanwhile. To clear a field, set it to null.',
    args: [AGENT],
    options: [{ name: 'field', value: 'FIELD', description: 'Edit only this field' }, REASON],
    examples: [
      { line: 'agents edit "Invoice helper"', does: 'Edit all fields' },
      {
        line: 'agents edit "Invoice helper" --field agent_system_prompt',
        does: 'Edit the system prompt as text',
      },
    ],
    load: () => import('../commands/agents-edit.ts'),
  },
  {
    path: 'agents set',
    summary: 'Set fields of an agent',
    details:
      'A dot names a member of an object. null clears a field. @PATH takes the value from a file, @- from standard input; ' +
      'only these two take a secret. @@ begins a text with @. Values of objects and lists are JSON or YAML.',
    args: [AGENT, { name: 'FIELD=VALUE', description: 'A field and its new value', isRepeated: true }],
    options: [IF_REVISION, REASON],
    examples: [
      { line: 'agents set "Invoice helper" status=under_review', does: 'Set a field' },
      {
        line: 'agents set "Invoice helper" agent_params.temperature=0.2 agent_metadata.tags=[finance]',
        does: 'Set members of objects and keep the others',
      },
      { line: 'agents set "Invoice helper" api_key=@key.txt', does: 'Set a secret from a file' },
    ],
    load: () => import('../commands/agents-set.ts'),
  },
  {
    path: 'agents delete',
    summary: 'Delete agents',
    details: 'A deleted agent can be recovered for some days, unless --erase is given.',
    args: [{ ...AGENT, isRepeated: true }],
    options: [
      { name: 'yes', short: 'y', description: 'Do not ask; required without a terminal' },
      { name: 'erase', description: 'Erase at once and for good' },
      IF_REVISION,
      REASON,
    ],
    examples: [{ line: 'agents delete "Invoice helper" --yes', does: 'Delete without a question' }],
    load: () => import('../commands/agents-delete.ts'),
  },
  {
    path: 'agents history',
    summary: 'List the revisions of an agent',
    args: [AGENT],
    options: [LIMIT, ALL],
    examples: [{ line: 'agents history "Invoice helper" --limit 10', does: 'The last ten changes' }],
    load: () => import('../commands/agents-history.ts'),
  },
  {
    path: 'agents diff',
    summary: 'Show what changed between revisions',
    details:
      'Without a range: the last change. A: everything since revision A. A..B: from revision A to revision B.',
    args: [AGENT, { name: 'RANGE', description: 'A or A..B, two revisions', isOptional: true }],
    options: [{ name: 'exit-code', description: 'Exit with 2 if there are differences' }],
    examples: [
      { line: 'agents diff "Invoice helper"', does: 'The last change' },
      { line: 'agents diff "Invoice helper" 3..7', does: 'What changed from revision 3 to revision 7' },
    ],
    load: () => import('../commands/agents-diff.ts'),
  },
  {
    path: 'agents restore',
    summary: 'Go back to an earlier revision',
    details: 'Makes a new revision with the values of the earlier one.',
    args: [AGENT, { name: 'REVISION', description: 'Number of the revision' }],
    options: [IF_REVISION, REASON],
    examples: [{ line: 'agents restore "Invoice helper" 3', does: 'Bring revision 3 back' }],
    load: () => import('../commands/agents-restore.ts'),
  },
  {
    path: 'agents stage',
    summary: 'Move an agent to another trust stage',
    args: [AGENT, { name: 'STAGE', description: 'The trust stage', complete: TRUST_STAGES }],
    options: [IF_REVISION, REASON],
    examples: [
      { line: 'agents stage "Invoice helper" tested --reason "All harnesses passed"', does: 'Move an agent' },
    ],
    load: () => import('../commands/agents-stage.ts'),
  },
  {
    path: 'agents secrets',
    summary: 'List the secrets of an agent',
    details: 'Shows masks. With --reveal it shows clear text, and the audit log records that.',
    args: [AGENT],
    options: [{ name: 'reveal', description: 'Show clear text' }],
    examples: [
      { line: 'agents secrets "Invoice helper"', does: 'Which secrets there are' },
      { line: 'agents secrets "Invoice helper" --reveal -o json | jq -r .api_key', does: 'Read one' },
    ],
    load: () => import('../commands/agents-secrets.ts'),
  },
  {
    path: 'agents watch',
    summary: 'Print the changes of agents as they happen',
    details:
      'With -o json it prints one line for each event. Its id is a position: --since continues after it, without a gap. ' +
      'Ctrl-C ends it.',
    args: [{ ...AGENT, isOptional: true, isRepeated: true }],
    options: [
      { name: 'since', value: 'ID', description: 'Continue after this position' },
      { name: 'limit', value: 'N', description: 'End after this number of events' },
    ],
    examples: [
      { line: 'agents watch', does: 'All agents of the team' },
      { line: 'agents watch "Invoice helper" -o json', does: 'One agent, a line of JSON for each change' },
    ],
    load: () => import('../commands/agents-watch.ts'),
  },
]
