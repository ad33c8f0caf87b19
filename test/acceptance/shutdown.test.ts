import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { describe, it } from 'node:test'
import { startConsoleProcess } from '../support/processes.ts'

const CLIENTS = 16

describe('SIGTERM under load', () => {
  it('loses no request: each one sent is answered, and its client is asked to go elsewhere', async () => {
    const running = await startConsoleProcess({ SHUTDOWN_DELAY_MS: '3000' })
    try {
      const authorization = `Bearer ${await running.token()}`
      const body = JSON.stringify({ agent_name: 'A', model_name: 'm' })
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
      let answered = 0
      let signalled = false

      // Each client keeps its connection busy until an answer says that it is being closed.
      const client = async (): Promise<void> => {
        for (;;) {
          const answer = await send(agent, `${running.url}/v1/agent-configurations`, authorization, body)
          assert.equal(answer.status, 201)
          answered++
          if (answer.connection === 'close') return
          if (answered === 200 && !signalled) {
            signalled = true
            running.signal('SIGTERM')
          }
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))
      assert.equal(await running.ended, 0)
      assert.ok(answered > 200)
      const [row] = await running.database.query<{ count: string }>('SELECT count(*) FROM agents')
      assert.equal(Number(row?.count), answered)
      assert.match(running.output(), /"msg":"shut down"/)
    } finally {
      await running.close()
    }
  })

  it('is not ready from the moment of the signal, and live until the end', async () => {
    const running = await startConsoleProcess({ SHUTDOWN_DELAY_MS: '5000' })
    try {
      running.signal('SIGTERM')
      let ready: Response
      do ready = await fetch(`${running.url}/health/ready`)
      while (ready.status === 200)
      assert.equal(ready.status, 503)
      assert.deepEqual(await ready.json(), { status: 'shutting_down' })
      assert.equal((await fetch(`${running.url}/health/live`)).status, 200)
      assert.equal(await running.ended, 0)
      await assert.rejects(fetch(`${running.url}/health/live`))
    } finally {
      await running.close()
    }
  })
})

function send(
  agent: Agent,
  url: string,
  authorization: string,
  body: string,
): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: 'POST', headers: { authorization, 'content-type': 'application/json' } },
      (response) => {
        response.resume()
        response.on('end', () =>
          resolve({ status: response.statusCode, connection: response.headers.connection }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
