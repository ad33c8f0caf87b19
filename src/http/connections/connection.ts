import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

/** The connection of a client, with what it has not taken yet of its responses. */
export class Connection {
  readonly socket: Socket
  /** Whether a request has arrived on it. */
  hasRequest = false
  /** Requests that have arrived completely and have no complete response yet. */
  serving = 0
  /** Of the newest request that passed the hooks before ours. Not the request: the body would live as long as the connection.
   * Undefined for connections without a token: together they count as one team. */
  team: string | undefined
  log: FastifyBaseLogger | undefined
  /** Large bodies of responses that are not sent yet; several if the client sends requests without waiting. */
  largeBytes = 0
  /** The response is a buffer that all clients share. */
  hasSharedBody = false
  /** When the client last took a byte. */
  progressAt = 0
  #acceptedBytes: number | undefined

  constructor(socket: Socket) {
    this.socket = socket
  }

  get isSending(): boolean {
    return this.socket.writableLength > 0
  }

  /** The memory that the connection holds until the client reads. */
  get heldBytes(): number {
    return Math.max(this.largeBytes, this.hasSharedBody ? 0 : this.socket.writableLength)
  }

  checkProgress(now: number): void {
    const accepted = this.isSending ? acceptedBytes(this.socket) : undefined
    if (accepted !== undefined && accepted === this.#acceptedBytes) return
    this.#acceptedBytes = accepted
    this.progressAt = now
  }
}

/** The bytes that the operating system has taken so far. Sockets have no public counter for it: `bytesWritten` includes what
 * waits. Node uses the same queue size to detect the progress of a write. */
function acceptedBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
