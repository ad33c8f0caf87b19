import type { ValidationError } from '../contract/validation-error.ts'

/** A value and what is wrong with it; `loc` is relative to the value. */
export interface CheckedValue {
  value: unknown
  errors: readonly ValidationError[]
}

/** Validates values as the bodies of requests are validated. */
export interface Validation {
  /** Parses JSON and returns the errors that only its text shows. Without a value if it is no JSON. */
  parse: (text: string) => CheckedValue
  validate: (value: object) => CheckedValue
}

export const valueError = (loc: ValidationError['loc'], reason: string): ValidationError => ({
  loc,
  msg: `Value error, ${reason}`,
  type: 'value_error',
})

export const notAnObject = (hint = ''): ValidationError => ({
  loc: [],
  msg: `Input should be a valid dictionary or object to extract fields from${hint}`,
  type: 'model_attributes_type',
})

export const missing = (...loc: ValidationError['loc']): ValidationError => ({
  loc,
  msg: 'Field required',
  type: 'missing',
})

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
