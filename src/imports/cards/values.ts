/** A type of JSON whose members may be absent, and are never null. */
export type NoNulls<T> = T extends (infer Item)[]
  ? NoNulls<Item>[]
  : T extends object
    ? { [Name in keyof T]: NoNulls<Exclude<T[Name], null>> }
    : T

/** An unset member of A2A is absent or null. */
export function withoutNulls<T>(value: T): NoNulls<T> {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item)) as NoNulls<T>
  if (typeof value !== 'object' || value === null) return value as NoNulls<T>
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)])) as NoNulls<T>
}

type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** Leaves out the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
}
