import { type ClientBase, Query } from 'pg'

/** As `client.query({ name, text, values })`, which copies its argument property by property: more than 5 µs for each statement
 * where this takes less than 1. */
export function sendStatement(
  client: ClientBase,
  name: string,
  text: string,
  values: unknown[],
): Promise<{ rows: unknown[] }> {
  return new Promise((resolve, reject) => {
    const query = new Query(text, values, (error, result) => (error ? reject(error) : resolve(result)))
    client.query(Object.assign(query, { name }))
  })
}
