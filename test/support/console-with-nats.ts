import { closeAfter } from './close-after.ts'
import { type ConsoleOptions, startConsole, type TestConsole } from './console.ts'
import { createTestNats, type TestNats } from './nats.ts'

export interface ConsoleWithNats {
  running: TestConsole
  nats: TestNats
}

/** A console that delivers to a stream of its own, for the tests of the calling file or suite. The stream is removed
 * after the console is closed: a console that runs would create it again. */
export async function useConsoleWithNats(options: ConsoleOptions = {}): Promise<ConsoleWithNats> {
  const nats = await createTestNats()
  const environment = { ...nats.environment, ...options.environment }
  const running = await startConsole({ ...options, environment })
  closeAfter(async () => {
    await running.close()
    await nats.remove()
  })
  return { running, nats }
}
