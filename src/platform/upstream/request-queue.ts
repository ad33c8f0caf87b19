export interface QueuedRequest {
  /** The request has a place now. It gives the place back with `leave`. */
  onPlace: () => void
}

/** Limits the requests in flight to one upstream; the others wait in order of arrival. */
export interface RequestQueue {
  enter: (request: QueuedRequest) => void
  /** Takes a request out that still waits. */
  cancel: (request: QueuedRequest) => void
  leave: () => void
}

/** A limit of connections would do the same, except for event streams: they stay open for hours and would take every
 * connection from ordinary requests. An event stream gives its place back when its response begins. */
export function createRequestQueue(maxInFlight: number): RequestQueue {
  const waiting = new Set<QueuedRequest>()
  let inFlight = 0

  const takeNext = () => {
    for (const request of waiting) {
      if (inFlight >= maxInFlight) return
      waiting.delete(request)
      inFlight++
      request.onPlace()
    }
  }

  return {
    enter: (request) => {
      if (inFlight >= maxInFlight || waiting.size > 0) {
        waiting.add(request)
        return
      }
      inFlight++
      request.onPlace()
    },
    cancel: (request) => void waiting.delete(request),
    leave: () => {
      inFlight--
      // Later, so that requests which end at once do not nest.
      if (waiting.size > 0) queueMicrotask(takeNext)
    },
  }
}
