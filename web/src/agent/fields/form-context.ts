import { createContext, useContext } from 'react'
import type { FormValues } from './form.ts'
import type { Fault } from './update.ts'

export interface FormContextValue {
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
