import { controlId } from './table.ts'
import type { Fault } from './update.ts'

/** Moves to the first field with a fault, once the page shows it. */
export function focusFault(faults: readonly Fault[]): void {
  const name = faults.find((fault) => fault.name !== undefined)?.name
  requestAnimationFrame(() => {
    if (name === undefined) document.getElementById('faults')?.focus()
    else focusControl(name)
  })
}

export function focusControl(name: string): void {
  const control = document.getElementById(controlId(name))
  control?.focus()
  control?.scrollIntoView({ block: 'center' })
}
