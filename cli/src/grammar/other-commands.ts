import { AGENT, ALL, FILE, LIMIT } from './shared.ts'
import type { CommandEntry } from './types.ts'
import { SHELLS } from './words.ts'

export const OTHER_COMMANDS: readonly CommandEntry[] = [
  {
    path: 'evolution status',
    summary: 'Show the evolution proposals of an agent',
    args: [AGENT],
    examples: [{ line: 'evolution status "Invoice helper"', does: 'State and proposals' }],
  },
  {
    path: 'genomes create',
    summary: 'Create a genome from a file',
    options: [FILE],
    examples: [{ line: 'genomes create -f genome.json', does: 'Seed an evolution' }],
  },
  {
    path: 'services',
    summary: 'List the services behind the console',
    examples: [{ line: 'services', does: 'State of each service and of its document' }],
  },
  {
    path: 'audit',
    summary: 'List the audit log, newest first',
    options: [
      { name: 'agent', value: 'AGENT', description: 'Only this agent' },
      { name: 'action', value: 'ACTION', description: 'Only this action, such as secrets_read' },
      { name: 'user', value: 'ID', description: 'Only this user' },
      {
        name: 'since',
        value: 'TIME',
        description: 'Not before this time: a date, or a duration such as 24h or 7d',
      },
      { name: 'until', value: 'TIME', description: 'Before this time' },
      LIMIT,
      ALL,
    ],
    examples: [
      { line: 'audit --agent "Invoice helper"', does: 'Who did what with an agent' },
      { line: 'audit --action secrets_read --since 7d -o json', does: 'Reads of secrets in the last week' },
    ],
  },
  {
    path: 'api',
    summary: 'Send any request to the console',
    details:
      'Prints the body of the response as it came. Operations of services behind the console work, too.',
    args: [
      {
        name: 'METHOD',
        description: 'Method of HTTP',
        complete: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      },
      { name: 'PATH', description: 'Path with its query, such as /v1/me' },
    ],
    options: [
      { ...FILE, description: 'Body to send; - is standard input' },
      {
        name: 'header',
        short: 'H',
        value: 'NAME:VALUE',
        isRepeated: true,
        description: 'Header to send; may be repeated',
      },
    ],
    examples: [
      { line: 'api GET /v1/agent-configurations/facets', does: 'Read anything' },
      { line: 'api POST /v1/genomes/ -f genome.json', does: 'Send a body' },
    ],
  },
  {
    path: 'mcp',
    summary: 'Connect an MCP host to the console over standard input and output',
    details:
      'For hosts that start an MCP server as a program and cannot log in themselves. It passes messages to /mcp of the console with ' +
      'the login of the profile, which it refreshes, and ends with its standard input.',
    examples: [
      { line: 'mcp --profile staging', does: 'What a host runs, with the login of a profile' },
      {
        line: 'mcp --url https://console.example.com',
        does: 'Without a profile: a token of the environment',
      },
    ],
  },
  {
    path: 'completion',
    summary: 'Print a completion script for a shell',
    args: [{ name: 'SHELL', description: 'The shell', complete: SHELLS }],
    examples: [
      { line: 'completion bash > ~/.local/share/bash-completion/completions/agent-console', does: 'bash' },
      { line: 'completion zsh > "${fpath[1]}/_agent-console"', does: 'zsh' },
      { line: 'completion fish > ~/.config/fish/completions/agent-console.fish', does: 'fish' },
      { line: 'completion powershell >> $PROFILE', does: 'PowerShell' },
    ],
  },
  {
    path: 'schema agent',
    summary: 'Print the JSON Schema of the file of an agent',
    examples: [
      { line: 'schema agent > agent.schema.json', does: 'Let an editor check and complete such files' },
      { line: 'schema agent -o table', does: 'The fields, with their types' },
    ],
    defaultFormat: 'json',
  },
  {
    path: 'version',
    summary: 'Show the version',
    options: [
      { name: 'check', description: 'Compare with the version of the console (exit code 1: incompatible)' },
    ],
    examples: [{ line: 'version --check', does: 'Whether this version fits the console' }],
  },
]
