export interface QueuedRequest {
  /** The request may be sent now. It returns its slot with `release`. */
  onSlot: () => void
}

/** Limits the requests in flight to one upstream; the others wait in order of arrival. */
export interface RequestQueue {
  enter: (request: QueuedRequest) => void
  /** Removes a waiting request. */
  cancel: (request: QueuedRequest) => void
  release: () => void
}

/** Not a connection limit: event streams stay open for hours and would use it up. An event stream returns its slot when
 * its response begins. */
export function createRequestQueue(maxInFlight: number): RequestQueue {
  const waiting = new Set<QueuedRequest>()
  let inFlight = 0

  const takeNext = () => {
    for (const request of waiting) {
      if (inFlight >= maxInFlight) return
      waiting.delete(request)
      inFlight++
      request.onSlot()
    }
  }

  return {
    enter: (request) => {
      if (inFlight >= maxInFlight || waiting.size > 0) {
        waiting.add(request)
        return
      }
      inFlight++
      request.onSlot()
    },
    cancel: (request) => void waiting.delete(request),
    release: () => {
      inFlight--
      // In a microtask, so that requests that fail immediately do not recurse.
      if (waiting.size > 0) queueMicrotask(takeNext)
    },
  }
}
