import type { ValidationFault } from '@agent-console/sdk'
import { DELEGATE_FIELDS } from './delegates.ts'
import { DELEGATES, FIELDS, SECRETS, specOf } from './table.ts'
import type { Fault } from './update.ts'

/** What is left after an edit. The removal of a delegated agent changes the indexes of those after it. */
export function faultsAfterEdit(faults: readonly Fault[], name: string): readonly Fault[] {
  const isList = name === DELEGATES.name
  const left = faults.filter(
    (fault) => fault.name !== name && !(isList && fault.name?.startsWith('delegates.') === true),
  )
  return left.length === faults.length ? faults : left
}

/** The control that a fault of a 422 belongs to. */
export function locate({ loc, msg }: Pick<ValidationFault, 'loc' | 'msg'>): Fault {
  const [where, top, ...inside] = loc.map(String)
  if (where === 'header') {
    return top === 'console-change-reason'
      ? { name: 'reason', label: 'Reason', message: within([], msg) }
      : { name: undefined, label: `Header ${top ?? ''}`, message: within([], msg) }
  }
  if (where !== 'body' || top === undefined)
    return { name: undefined, label: loc.join('.'), message: within([], msg) }
  if (top === DELEGATES.name) return inDelegates(inside, msg)
  const [member = '', ...deeper] = inside
  const direct = specOf(top)
  if (direct !== undefined) return { name: top, label: direct.label, message: within(inside, msg) }
  const own = specOf(`${top}/${member}`)
  if (own !== undefined) return { name: own.path, label: own.label, message: within(deeper, msg) }
  if (top === 'api_key' || SECRETS.includes(`${top}/${member}`)) {
    return { name: undefined, label: [top, ...inside].join('.'), message: within([], msg) }
  }
  const rest = FIELDS.find(({ path }) => path === `${top}/*`)
  return { name: rest?.path, label: rest?.label ?? [top, ...inside].join('.'), message: within(inside, msg) }
}

function inDelegates([index, field = '', ...deeper]: string[], msg: string): Fault {
  if (index === undefined) return { name: DELEGATES.name, label: DELEGATES.label, message: within([], msg) }
  const label = `Delegated agent ${Number(index) + 1}`
  const own = Object.entries(DELEGATE_FIELDS).find(([name]) => name === field)
  if (own === undefined) {
    return { name: `delegates.${index}.rest`, label, message: within([field, ...deeper], msg) }
  }
  return { name: `delegates.${index}.${field}`, label: `${label}, ${own[1]}`, message: within(deeper, msg) }
}

/** Says where inside the field, if it holds more than one value. */
function within(path: readonly string[], msg: string): string {
  const place = path.filter((part) => part !== '').join('.')
  const text = msg.replace(/^Value error, /, '')
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return place === '' ? sentence : `${place}: ${sentence}`
}
