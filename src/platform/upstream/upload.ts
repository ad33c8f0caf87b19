import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { QueueRefusal } from '../fairness/fair-queue.ts'
import type { SharedBudget } from '../fairness/shared-budget.ts'
import { UpstreamFailure } from './failure.ts'

/** The body of a client's request on its way to an upstream. */
export interface Upload extends Readable {
  /** Begins to receive. `onReady` is called when enough has arrived to send the request, `onProgress` for each chunk. */
  start: (onReady: () => void, onProgress: () => void) => void
  /** The request has its slot: what arrives from now on is forwarded. */
  beginForwarding: () => void
  /** Everything received so far has been forwarded; the upload waits for the client. */
  isStarved: () => boolean
}

export interface UploadLimits {
  team: string
  maxBytes: number
  /** For what arrives before the request has its slot. */
  memory: SharedBudget
}

/** The request is sent when so much of its body is here, or all of it: an upload that hardly moves must not hold a slot. */
export const READY_BYTES = 64 * 1024

/** The lowest rate, 1 KiB/s, is measured over this time. */
const WINDOW_MS = 10_000
const MIN_WINDOW_BYTES = 10 * 1024

/** A separate stream over the client's request, read at the upstream's pace. undici destroys a body when it is done with
 * it, and destroying the request itself would close the client's connection before the response is sent. */
export function createUpload(source: IncomingMessage, { team, maxBytes, memory }: UploadLimits): Upload {
  let size = 0
  let heldBytes = 0
  let windowBytes = 0
  /** The upstream read too slowly at some time in this window. */
  let wasPaused = false
  let hasEnded = false
  let isForwarding = false
  let whenReady: (() => void) | undefined
  let whenProgress = () => {}
  let rateTimer: NodeJS.Timeout | undefined

  const upload = new Readable({
    highWaterMark: READY_BYTES,
    read: () => void source.resume(),
    destroy: (error, callback) => {
      stopReceiving()
      returnMemory()
      callback(error)
    },
  })
  const stopReceiving = () => {
    clearInterval(rateTimer)
    source.off('data', onData).off('end', onEnd)
  }
  const returnMemory = () => {
    memory.give(team, heldBytes)
    heldBytes = 0
  }
  const becomeReady = () => {
    whenReady?.()
    whenReady = undefined
  }
  /** Takes memory for what cannot be forwarded yet. */
  const keep = (chunk: Buffer): QueueRefusal | undefined => {
    if (isForwarding) return undefined
    const refusal = memory.take(team, chunk.length)
    if (!refusal) heldBytes += chunk.length
    return refusal
  }
  const onData = (chunk: Buffer) => {
    size += chunk.length
    windowBytes += chunk.length
    const failure = size > maxBytes ? 'request_too_large' : keep(chunk)
    if (failure) {
      upload.destroy(new UpstreamFailure(failure))
      return
    }
    whenProgress()
    if (upload.push(chunk)) return
    source.pause()
    wasPaused = true
    becomeReady()
  }
  const onEnd = () => {
    hasEnded = true
    stopReceiving()
    upload.push(null)
    becomeReady()
  }
  const checkRate = () => {
    if (windowBytes < MIN_WINDOW_BYTES && !wasPaused) upload.destroy(new UpstreamFailure('client_stalled'))
    windowBytes = 0
    wasPaused = source.isPaused()
  }
  source.pause()

  return Object.assign(upload, {
    start: (onReady: () => void, onProgress: () => void) => {
      whenReady = onReady
      whenProgress = onProgress
      rateTimer = setInterval(checkRate, WINDOW_MS)
      source.on('data', onData).on('end', onEnd).resume()
    },
    beginForwarding: () => {
      isForwarding = true
      returnMemory()
    },
    isStarved: () => !hasEnded && (!isForwarding || upload.readableLength === 0),
  })
}
