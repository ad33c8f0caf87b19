import type { Components } from '../document/prepared.ts'
import { componentsIn, extensionsOf } from '../document/references.ts'
import { type Node, nodeAt, valueAt } from '../document/tree.ts'

/** Links are inlined, and the console has its own security scheme. */
const SECTIONS = 'schemas responses parameters examples requestBodies headers callbacks pathItems'.split(' ')

/** The components that the paths refer to, directly or through others. */
export function selectComponents(document: Node, paths: Node): Components {
  const all = nodeAt(document, 'components')
  const extensions = extensionsOf(nodeAt(all, 'schemas'))
  const selected: Components = {}
  const open = componentsIn(paths)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [section, name] = next
    const component = SECTIONS.includes(section) ? valueAt(all, next) : undefined
    if (component === undefined) continue
    const members = (selected[section] ??= {})
    if (Object.hasOwn(members, name)) continue
    members[name] = component
    open.push(...componentsIn(component))
    if (section === 'schemas') {
      for (const extension of extensions.get(name) ?? []) open.push(['schemas', extension])
    }
  }
  return selected
}
