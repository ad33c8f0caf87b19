import type { UpstreamMeasures } from '../metrics.ts'
import type { Breaker, Permit } from './breaker.ts'
import { isEventStream } from './event-stream.ts'
import { mayEndOtherwise, UpstreamFailure } from './failure.ts'
import { createIdleWatch, type IdleWatch } from './idle-watch.ts'
import type { Line } from './line.ts'
import type { RetryBudget } from './retry-budget.ts'
import { openStream, type StreamedAnswer, type StreamRequest, type Underway } from './stream.ts'
import type { Waiting } from './waiting.ts'

export interface StreamingOptions {
  line: Line
  basePath: string
  deadlineMs: number
  maxAnswerBytes: number
  measures: UpstreamMeasures
  budget: RetryBudget
  breaker: Breaker
}

/** Streams under the same breaker, budget and measures as calls. */
export function createStreaming(
  options: StreamingOptions,
): (request: StreamRequest, waiting: Waiting) => Promise<StreamedAnswer> {
  const { line, basePath, deadlineMs, maxAnswerBytes, measures, budget, breaker } = options

  const attempt = (
    request: StreamRequest,
    watch: IdleWatch,
    onStart: (underway: Underway) => void,
  ): Promise<StreamedAnswer> => {
    const permit = breaker.permit()
    if (!permit) return Promise.reject(new UpstreamFailure('not_asked'))
    const verdict = createVerdict(permit, deadlineMs, request.body !== undefined)
    let passed: ReturnType<UpstreamMeasures['passing']> | undefined
    return openStream(line, request, maxAnswerBytes, {
      onStart,
      onProgress: watch.touch,
      onHead: (answer) => {
        verdict.answering(answer)
        passed = measures.passing()
      },
      onEnd: (failure) => {
        verdict.ended(failure)
        if (!passed) return
        passed(failure?.kind)
        watch.stop()
      },
    })
  }

  return async (request, waiting) => {
    const sent = { ...request, path: basePath + request.path }
    const measure = measures.begin()
    budget.earn()
    let underway: Underway | undefined
    let ended: UpstreamFailure | undefined
    const end = (reason: UpstreamFailure) => {
      ended ??= reason
      underway?.abort(ended)
    }
    const watch = createIdleWatch(deadlineMs, () => {
      const failure = underway?.stillness()
      if (failure) end(failure)
      return failure === undefined
    })
    waiting.onGone(() => end(new UpstreamFailure('caller_gone')))
    const onStart = (started: Underway) => {
      underway = started
    }
    try {
      const answer = await attempt(sent, watch, onStart).catch((error: unknown) => {
        const isRepeatable = request.method === 'GET' && request.body === undefined
        if (ended || !isRepeatable || !mayEndOtherwise(error) || !budget.spend()) throw error
        measures.retried()
        return attempt(sent, watch, onStart)
      })
      measure('answered')
      return answer
    } catch (error) {
      watch.stop()
      measure(error instanceof UpstreamFailure ? error.kind : 'internal')
      throw error
    }
  }
}

/** Tells the breaker once what a stream says of its upstream. An answer that still flows after the deadline speaks for it, and
 * so does the head of an event stream: a probe must not keep everybody else waiting until its last byte. */
function createVerdict(permit: Permit, deadlineMs: number, isUpload: boolean) {
  let isTold = false
  // An upload may go on for hours before there is any answer. A later verdict still counts where this one did not.
  const sending = isUpload ? setTimeout(permit.abandoned, deadlineMs) : undefined
  let flowing: NodeJS.Timeout | undefined
  const tell = (verdict: () => void) => {
    if (isTold) return
    isTold = true
    clearTimeout(flowing)
    verdict()
  }
  return {
    answering: ({ headers }: StreamedAnswer) => {
      clearTimeout(sending)
      if (isEventStream(headers)) tell(permit.succeeded)
      else flowing = setTimeout(() => tell(permit.succeeded), deadlineMs)
    },
    ended: (failure: UpstreamFailure | undefined) => {
      clearTimeout(sending)
      if (!failure) tell(permit.succeeded)
      else tell(failure.isCallersOwn || failure.kind === 'not_asked' ? permit.abandoned : permit.failed)
    },
  }
}
