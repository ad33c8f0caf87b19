import type { TestDatabase } from './database.ts'

const SLEEP_BEFORE_REVISION = (seconds: number) => `
CREATE FUNCTION wait_a_little() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END';
CREATE TRIGGER wait_a_little BEFORE INSERT ON agent_revisions FOR EACH ROW EXECUTE FUNCTION wait_a_little()`

/** Lets each change of an agent take longer, so that a request does not end before its process is killed. Returns what ends it. */
export async function slowDownChanges(
  database: Pick<TestDatabase, 'query'>,
  seconds: number,
): Promise<() => Promise<void>> {
  await database.query(SLEEP_BEFORE_REVISION(seconds))
  return async () => void (await database.query('DROP FUNCTION wait_a_little CASCADE'))
}
