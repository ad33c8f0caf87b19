import type { DeclaredOperation } from '../operation.ts'

export type Method = DeclaredOperation['method']

/** As a path item names them. */
export const METHODS: readonly Lowercase<Method>[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
]
