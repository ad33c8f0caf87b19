import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findChanges, findDisorder } from '../../scripts/check-migrations/released.ts'
import { checkMigrations } from '../../scripts/check-migrations.ts'
import { SERVER_URL } from '../support/database.ts'
import { migrationFolder, SMALL_BASELINE } from '../support/migrations.ts'

const LOCK_TIMEOUT = "SET lock_timeout = '100ms';\n"
const NO_TRANSACTION = "-- No transaction\nSET lock_timeout = '10min';\n"

/** Migrations that would make requests wait, each with what the check says. */
const REFUSED: [name: string, text: string, finding: RegExp][] = [
  [
    'another type of a column',
    'ALTER TABLE agents ALTER COLUMN revision TYPE bigint;',
    /^0002_next rewrites the table agents while reads and writes wait\./,
  ],
  [
    'a volatile default',
    'ALTER TABLE agents ADD COLUMN token uuid DEFAULT gen_random_uuid();',
    /rewrites the table agents/,
  ],
  [
    'a stored generated column',
    'ALTER TABLE agents ADD COLUMN size integer GENERATED ALWAYS AS (length(name)) STORED;',
    /rewrites the table agents/,
  ],
  ['another persistence', 'ALTER TABLE agents SET UNLOGGED;', /rewrites the table agents/],
  ['CLUSTER', 'CLUSTER agents USING agents_pkey;', /rewrites the table agents/],
  ['TRUNCATE', 'TRUNCATE agents;', /rewrites the table agents/],
  ['an identity column', 'ALTER TABLE agents ADD COLUMN position bigserial;', /rewrites the table agents/],
  [
    'an index',
    'CREATE INDEX agents_by_age ON agents (created_at);',
    /^0002_next builds the index agents_by_age while writes to agents wait\. Use CREATE INDEX CONCURRENTLY/,
  ],
  ['REINDEX', 'REINDEX INDEX agents_by_name;', /rebuilds the index agents_by_name while writes wait/],
  [
    'a unique constraint',
    'ALTER TABLE agents ADD CONSTRAINT name_once UNIQUE (name);',
    /builds the index name_once/,
  ],
  [
    'a constraint that is checked',
    'ALTER TABLE agents ADD CONSTRAINT positive CHECK (revision > 0);',
    /^0002_next checks all rows of agents for the constraint positive while writes wait\. Add it NOT VALID/,
  ],
  [
    'a foreign key that is checked',
    'ALTER TABLE agents ADD CONSTRAINT parent FOREIGN KEY (id) REFERENCES agents (id);',
    /checks all rows of agents for the constraint parent/,
  ],
  [
    'a constraint that is validated in the same transaction',
    `ALTER TABLE agents ADD CONSTRAINT positive CHECK (revision > 0) NOT VALID;
     ALTER TABLE agents VALIDATE CONSTRAINT positive;`,
    /checks all rows of agents for the constraint positive/,
  ],
  [
    'SET NOT NULL',
    'ALTER TABLE agents ALTER COLUMN name SET NOT NULL;',
    /reads all rows for SET NOT NULL of agents\.name/,
  ],
  ['an update of all rows', `UPDATE agents SET name = 'x';`, /changes rows of agents in one transaction/],
]

describe('the check of migrations refuses', () => {
  const check = (t: Parameters<typeof migrationFolder>[0], files: Record<string, string>) =>
    checkMigrations(migrationFolder(t, { '0001_baseline.sql': SMALL_BASELINE, ...files }), SERVER_URL)

  for (const [name, text, finding] of REFUSED) {
    it(name, async (t) => {
      const findings = await check(t, { '0002_next.sql': LOCK_TIMEOUT + text })
      assert.equal(findings.length, 1, findings.join('\n'))
      assert.match(findings[0] ?? '', finding)
    })
  }

  it('a missing, late, endless or long lock_timeout', async (t) => {
    const column = 'ALTER TABLE agents ADD COLUMN purpose text;\n'
    for (const text of [column, column + LOCK_TIMEOUT, `-- ${LOCK_TIMEOUT}${column}`])
      assert.deepEqual(await check(t, { '0002_next.sql': text }), [
        "0002_next must start with SET lock_timeout = '100ms';.",
      ])
    for (const time of ['5s', '151ms', '0s'])
      assert.deepEqual(await check(t, { '0002_next.sql': `SET lock_timeout = '${time}';\n${column}` }), [
        `0002_next has a lock_timeout of ${time}: the limit is 150ms.`,
      ])
  })

  it('what blocks, and an index that cannot be built again, outside of a transaction', async (t) => {
    const build = 'CREATE INDEX CONCURRENTLY agents_by_age ON agents (created_at);'
    for (const [text, finding] of [
      ['CREATE INDEX agents_by_age ON agents (created_at);', /may only change indexes CONCURRENTLY/],
      ['ALTER TABLE agents ADD COLUMN purpose text;', /may only change indexes CONCURRENTLY/],
      ['VACUUM FULL agents;', /may only change indexes CONCURRENTLY/],
      [build, /must contain DROP INDEX CONCURRENTLY IF EXISTS agents_by_age;/],
    ] as const) {
      const findings = await check(t, { '0002_next.sql': NO_TRANSACTION + text })
      assert.equal(findings.length, 1)
      assert.match(findings[0] ?? '', finding)
    }
  })

  it('a validation in a transaction with other changes', async (t) => {
    const findings = await check(t, {
      '0002_add.sql': `${LOCK_TIMEOUT}ALTER TABLE agents ADD CONSTRAINT positive CHECK (revision > 0) NOT VALID;`,
      '0003_validate.sql': `${LOCK_TIMEOUT}ALTER TABLE agents VALIDATE CONSTRAINT positive;`,
    })
    assert.deepEqual(findings, [
      '0003_validate validates the constraint positive in a transaction. Use a file with the line -- No transaction.',
    ])
  })

  it('a released file that has changed or is missing, and a file that is out of order', () => {
    assert.deepEqual(findChanges({ a: '1', b: '2' }, { a: '1', b: '2' }), [])
    assert.match(findChanges({ a: '1' }, { a: '2' })[0] ?? '', /^a has changed, and a release contains it\./)
    assert.match(findChanges({ a: '1' }, {})[0] ?? '', /^a is missing/)
    assert.deepEqual(findChanges({}, { a: '1' }), [])
    assert.deepEqual(findDisorder(['0001_a.sql', '0002_b.sql']), [])
    assert.match(findDisorder(['0001_a.sql', '0003_b.sql'])[0] ?? '', /^0003_b\.sql is out of order: .* 0002/)
    assert.match(findDisorder(['0001_a.sql', '0001_b.sql'])[0] ?? '', /^0001_b\.sql is out of order/)
    assert.match(findDisorder(['0001_a.sql', 'b.sql'])[0] ?? '', /^b\.sql must be named like/)
  })

  it('nothing that makes no request wait', async (t) => {
    const findings = await check(t, {
      '0002_columns.sql': `${LOCK_TIMEOUT}ALTER TABLE agents ADD COLUMN purpose text;
        ALTER TABLE agents ADD COLUMN hub text NOT NULL DEFAULT 'default';
        ALTER TABLE agents ADD CONSTRAINT named CHECK (name IS NOT NULL) NOT VALID;
        UPDATE delivery SET epoch = 2;
        CREATE TABLE notes (id uuid PRIMARY KEY, body text CHECK (body <> ''));
        CREATE INDEX notes_by_body ON notes (body);`,
      '0003_build.sql': `${NO_TRANSACTION}DROP INDEX CONCURRENTLY IF EXISTS agents_by_age;
        CREATE INDEX CONCURRENTLY agents_by_age ON agents (created_at);
        ALTER TABLE agents VALIDATE CONSTRAINT named;
        REINDEX INDEX CONCURRENTLY agents_by_name;`,
      '0004_not_null.sql': `${LOCK_TIMEOUT}ALTER TABLE agents ALTER COLUMN name SET NOT NULL;
        ALTER TABLE agents DROP CONSTRAINT named;`,
    })
    assert.deepEqual(findings, [])
  })

  it('nothing in the real migrations, with rows in every table', async (t) => {
    const file = '0001_initial_schema.sql'
    const baseline = readFileSync(join(import.meta.dirname, '../../migrations', file), 'utf8')
    const folder = migrationFolder(t, {
      [file]: baseline,
      '0002_next.sql': `${LOCK_TIMEOUT}ALTER TABLE agents ADD COLUMN note text;\nDROP TABLE outbox;`,
    })
    assert.deepEqual(await checkMigrations(folder, SERVER_URL), [])
  })
})
