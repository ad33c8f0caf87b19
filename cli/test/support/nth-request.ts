import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Resolves when the console of this process gets so many requests from now on. */
export function nthRequest(number: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  const listener = () => {
    if (++count === number) resolve()
  }
  subscribe('http.server.request.start', listener)
  return { promise, forget: () => unsubscribe('http.server.request.start', listener) }
}
