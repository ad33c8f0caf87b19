import * as fc from 'fast-check'
import type { JsonBody, Violation } from '../../src/platform/json.ts'
import { numberLiteral } from '../support/literals.ts'

/** JSON documents as trees, so that what a scan should find is known without scanning. */

type Node =
  | { kind: 'number'; literal: string }
  | { kind: 'text'; text: string; escaped: boolean }
  | { kind: 'word'; word: string }
  | { kind: 'array'; items: Node[]; space: string }
  | { kind: 'object'; members: { name: string; escaped: boolean; node: Node }[]; space: string }

const space = fc.constantFrom('', '', ' ', '\n\t', '\r ')
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('\\', '"', '\0', '\ud83d', '\ude00', 'é', 'u0000', '{', ','),
    maxLength: 6,
  }),
)
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'ignored', '', '0') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor') },
  { weight: 2, arbitrary: text },
)

const { node } = fc.letrec<{ node: Node }>((tie) => {
  const members = fc.array(fc.record({ name, escaped: fc.boolean(), node: tie('node') }), { maxLength: 4 })
  return {
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({ kind: fc.constant('number' as const), literal: numberLiteral }),
      fc.record({ kind: fc.constant('text' as const), text, escaped: fc.boolean() }),
      fc.record({ kind: fc.constant('word' as const), word: fc.constantFrom('true', 'false', 'null') }),
      fc.record({
        kind: fc.constant('array' as const),
        items: fc.array(tie('node'), { maxLength: 4 }),
        space,
      }),
      fc.record({ kind: fc.constant('object' as const), members, space }),
    ),
  }
})

export const jsonDocument: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('object' as const),
      members: fc.array(fc.record({ name, escaped: fc.boolean(), node }), { maxLength: 5 }),
      space,
    }),
  },
  { weight: 1, arbitrary: node },
)

export function render(tree: Node): string {
  switch (tree.kind) {
    case 'number':
      return tree.literal
    case 'word':
      return tree.word
    case 'text':
      return quote(tree.text, tree.escaped)
    case 'array':
      return `[${tree.space}${tree.items.map(render).join(`${tree.space},`)}${tree.space}]`
    default: {
      const members = tree.members.map(
        (member) => `${quote(member.name, member.escaped)}${tree.space}:${tree.space}${render(member.node)}`,
      )
      return `${tree.space}{${tree.space}${members.join(`,${tree.space}`)}}${tree.space}`
    }
  }
}

/** Every character escaped, or only those that must be. */
function quote(content: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(content)
  const units = Array.from({ length: content.length }, (_, index) => content.charCodeAt(index))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

export function expectedScan(
  tree: Node,
  isKnown: (name: string) => boolean,
  isExact: (literal: string) => boolean,
): Omit<JsonBody, 'value'> {
  const violations: Violation[] = []
  const numbers = new Map<string, string>()

  const visitName = (own: string, path: Violation['path']) => {
    if (own === '__proto__') violations.push({ kind: 'prototype_name', path: [...path, own] })
    else visitText(own, path)
  }
  const visitText = (content: string, path: Violation['path']) => {
    if (content.includes('\0')) violations.push({ kind: 'nul', path })
    else if (!content.isWellFormed()) violations.push({ kind: 'lone_surrogate', path })
  }
  const visit = (current: Node, path: Violation['path']): void => {
    if (current.kind === 'text') visitText(current.text, path)
    else if (current.kind === 'array') current.items.forEach((item, index) => visit(item, [...path, index]))
    else if (current.kind === 'object') {
      for (const member of current.members) {
        visitName(member.name, path)
        visit(member.node, [...path, member.name])
      }
    } else if (current.kind === 'number' && path.length === 1) numbers.set(String(path[0]), current.literal)
    else if (current.kind === 'number' && !isExact(current.literal)) {
      violations.push({ kind: 'inexact_number', path, literal: current.literal })
    }
  }

  if (tree.kind === 'object') {
    for (const member of tree.members.filter((one) => isKnown(one.name))) {
      visitName(member.name, [])
      visit(member.node, [member.name])
    }
  }
  return { violations, numbers }
}
