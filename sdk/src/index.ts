export type { Agents } from './agents/agents.ts'
export type { ListQuery } from './agents/reads.ts'
export type { Audit } from './audit.ts'
export type { Reply } from './client/read-response.ts'
export { Console } from './console.ts'
export {
  ApiError,
  Conflict,
  ConnectionFailed,
  ConsoleError,
  Forbidden,
  NotFound,
  PositionExpired,
  Stale,
  TimedOut,
  Unauthenticated,
  Unavailable,
  ValidationFailed,
} from './errors.ts'
export type {
  CallOptions,
  ChangeOptions,
  ConditionalOptions,
  ConsoleOptions,
  CreateOptions,
  ImpactOptions,
  LogEntry,
} from './options.ts'
export type { Evolution, Services, Users, Views } from './resources.ts'
export type { components, operations, paths } from './schema.ts'
export { type DescribedSkill, isDescribedSkill } from './skills.ts'
export type { Method, RequestInput, ResponseData, TypedRequest } from './typed-request.ts'
export type * from './types.ts'
export { VERSION } from './version.ts'
export type { WatchedEvent, WatchOptions, WatchState } from './watch.ts'
