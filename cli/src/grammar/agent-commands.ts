import { AGENT, ALL, EXIT_CODE, FILE, LIMIT, REASON, YES } from './shared.ts'
import type { CommandEntry, Option } from './types.ts'
import { PROTECTION_STATUSES, SORT_ORDERS, STATUSES, TRUST_STAGES } from './words.ts'

const IF_REVISION: Option = {
  name: 'if-revision',
  value: 'N',
  description: 'Change nothing if the agent is at another revision (exit code 5)',
}
export const AGENT_COMMANDS: readonly CommandEntry[] = [
  {
    path: 'agents list',
    summary: 'List agents',
    details: 'Archived agents are listed only with --status archived.',
    options: [
      {
        name: 'status',
        value: 'STATUS',
        isRepeated: true,
        complete: STATUSES,
        description: 'Only agents with this status; may be repeated',
      },
      {
        name: 'stage',
        value: 'STAGE',
        isRepeated: true,
        complete: TRUST_STAGES,
        description: 'Only agents at this trust stage; may be repeated',
      },
      {
        name: 'protection',
        value: 'STATUS',
        isRepeated: true,
        complete: PROTECTION_STATUSES,
        description: 'Only agents with this protection status; may be repeated',
      },
      {
        name: 'tag',
        value: 'TAG',
        isRepeated: true,
        description: 'Only agents with this tag; may be repeated',
      },
      { name: 'query', value: 'TEXT', description: 'Only agents whose name contains the text' },
      {
        name: 'sort',
        value: 'ORDER',
        complete: SORT_ORDERS,
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
  },
  {
    path: 'agents create',
    summary: 'Create an agent from a file',
    options: [FILE, REASON],
    examples: [
      { line: 'agents create -f agent.yaml', does: 'Create an agent' },
      {
        line: 'agents create -f - <<< \'{"agent_name": "Helper", "model_name": "gpt-5.4-turbo"}\'',
        does: 'Create an agent without a file',
      },
    ],
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
  },
  {
    path: 'agents delete',
    summary: 'Delete agents',
    details: 'A deleted agent can be recovered for some days, unless --erase is given.',
    args: [{ ...AGENT, isRepeated: true }],
    options: [YES, { name: 'erase', description: 'Erase at once and for good' }, IF_REVISION, REASON],
    examples: [{ line: 'agents delete "Invoice helper" --yes', does: 'Delete without a question' }],
  },
  {
    path: 'agents history',
    summary: 'List the revisions of an agent',
    args: [AGENT],
    options: [LIMIT, ALL],
    examples: [{ line: 'agents history "Invoice helper" --limit 10', does: 'The last ten changes' }],
  },
  {
    path: 'agents diff',
    summary: 'Show what changed between revisions',
    details:
      'Without a range: the last change. A: everything since revision A. A..B: from revision A to revision B.',
    args: [AGENT, { name: 'RANGE', description: 'A or A..B, two revisions', isOptional: true }],
    options: [EXIT_CODE],
    examples: [
      { line: 'agents diff "Invoice helper"', does: 'The last change' },
      { line: 'agents diff "Invoice helper" 3..7', does: 'What changed from revision 3 to revision 7' },
    ],
  },
  {
    path: 'agents restore',
    summary: 'Go back to an earlier revision',
    details: 'Makes a new revision with the values of the earlier one.',
    args: [AGENT, { name: 'REVISION', description: 'Number of the revision' }],
    options: [IF_REVISION, REASON],
    examples: [{ line: 'agents restore "Invoice helper" 3', does: 'Bring revision 3 back' }],
  },
  {
    path: 'agents stage',
    summary: 'Move an agent to another trust stage',
    args: [AGENT, { name: 'STAGE', description: 'The trust stage', complete: TRUST_STAGES }],
    options: [IF_REVISION, REASON],
    examples: [
      { line: 'agents stage "Invoice helper" tested --reason "All harnesses passed"', does: 'Move an agent' },
    ],
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
  },
]
