import type { Dispatcher } from 'undici'
import { isEventStream } from './event-stream.ts'

/** Calls to one upstream, so many at once; the others wait their turn. */
export interface Line {
  dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void
  isFull: () => boolean
}

/** A limit of connections would be the same, but for event streams: they last as long as somebody listens, and a few hundred
 * listeners would leave no connection to anybody who calls. An event stream gives its place up when it begins. */
export function createLine(pool: Dispatcher, most: number): Line {
  const waiting: (() => void)[] = []
  let underway = 0

  const begin = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    let hasPlace = true
    const leave = () => {
      if (!hasPlace) return
      hasPlace = false
      const next = waiting.shift()
      if (next) queueMicrotask(next)
      else underway--
    }
    pool.dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onBodySent: (chunk) => handler.onBodySent?.(chunk),
      onRequestSent: () => handler.onRequestSent?.(),
      onResponseStart: (controller, status, headers, message) => {
        if (isEventStream(headers)) leave()
        handler.onResponseStart?.(controller, status, headers, message)
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => {
        leave()
        handler.onResponseEnd?.(controller, trailers)
      },
      onResponseError: (controller, error) => {
        leave()
        handler.onResponseError?.(controller, error)
      },
    })
  }

  return {
    isFull: () => underway >= most,
    dispatch: (options, handler) => {
      if (underway >= most) {
        waiting.push(() => begin(options, handler))
        return
      }
      underway++
      begin(options, handler)
    },
  }
}
