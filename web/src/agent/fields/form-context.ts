import { createContext, useContext } from 'react'
import type { FormValues } from './form.ts'
import { controlId } from './table.ts'
import type { Fault } from './update.ts'

interface FormContextValue {
  /** The saved texts: a field that differs is marked. */
  base: FormValues
  faults: readonly Fault[]
  /** A fault goes away with the next edit of its field. */
  onEdit: (name: string) => void
  readOnly: boolean
  /** What the API takes for an empty field, where it is not nothing. */
  defaults: Readonly<Record<string, string>>
}

export const FormContext = createContext<FormContextValue | undefined>(undefined)

export function useFormParts(): FormContextValue {
  const parts = useContext(FormContext)
  if (parts === undefined) throw new Error('A field needs a form')
  return parts
}

export function faultOf(faults: readonly Fault[], name: string): string | undefined {
  return faults.find((fault) => fault.name === name)?.message
}

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
