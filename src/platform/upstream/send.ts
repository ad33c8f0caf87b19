import type { ServerResponse } from 'node:http'
import { hasEnded, onResponseEnd } from '../response-end.ts'
import { Exchange, type Receiver, type UpstreamParts, type UpstreamRequest } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'

/** Sends a request with the time limit, retry budget and metrics of its upstream. A GET that fails for a transient reason
 * before it has a result is retried once. Rejects with a Problem. The request is cancelled when `clientResponse` is closed. */
export function send<Result>(
  upstream: UpstreamParts,
  request: UpstreamRequest,
  clientResponse: ServerResponse,
  createReceiver: (onResult: (result: Result) => void) => Receiver,
): Promise<Result> {
  const { metrics, budget, deadlineMs } = upstream
  return new Promise((resolve, reject) => {
    const endCall = metrics.startCall()
    let hasResult = false
    let exchange: Exchange

    const onResult = (result: Result) => {
      hasResult = true
      endCall('succeeded')
      resolve(result)
    }
    const timer = setTimeout(() => {
      if (exchange.onTimeLimit()) timer.refresh()
    }, deadlineMs)
    const attempt = (mayRetry: boolean) => {
      const receiver = createReceiver(onResult)
      const onEnd = (failure: UpstreamFailure | undefined) => {
        if (failure?.isTransient && mayRetry && !hasResult && budget.spend()) {
          metrics.countRetry()
          return attempt(false)
        }
        clearTimeout(timer)
        receiver.onEnd(failure)
        if (!failure || hasResult) return
        endCall(failure.kind)
        reject(failure.toProblem())
      }
      exchange = new Exchange(upstream, request, { ...receiver, onEnd }, timer)
      // The client may have disconnected before, or between two attempts.
      if (hasEnded(clientResponse)) exchange.abort(new UpstreamFailure('client_disconnected'))
      else exchange.start()
    }
    budget.earn()
    attempt(request.method === 'GET' && request.body === undefined)
    onResponseEnd(clientResponse, () => {
      if (!clientResponse.writableFinished) exchange.abort(new UpstreamFailure('client_disconnected'))
    })
  })
}
