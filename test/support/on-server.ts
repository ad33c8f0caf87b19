import { Client } from 'pg'

/** Opens a connection for this work alone. */
export async function onServer<T>(
  connectionString: string,
  work: (server: Client) => Promise<T>,
): Promise<T> {
  const server = new Client({ connectionString })
  // A test that stops the server under its connections expects them to break.
  server.on('error', () => {})
  await server.connect()
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}
