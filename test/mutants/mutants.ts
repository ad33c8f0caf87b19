/** A bug that a person could make, and the test that must find it. */
export interface Mutant {
  /** What the code does wrong. */
  name: string
  file: string
  /** Occurs once in the file. */
  find: string
  replace: string
  /** The file and the name of the test. A part of the name is enough. */
  test: [file: string, name: string]
}

export const MUTANTS: Mutant[] = [
  {
    name: 'ignores If-Match',
    file: 'src/agent/change.ts',
    find: 'if (expectedRevisions && !expectedRevisions.includes(revision)) throw',
    replace: 'if (expectedRevisions?.length === 0) throw',
    test: ['test/agent/update.test.ts', 'with If-Match happens only at a revision it names'],
  },
  {
    name: 'reads agents of any team',
    file: 'src/agent/agents.ts',
    find: 'WHERE a.team_id = ${teamId} AND a.id = ${id}',
    replace: 'WHERE ${teamId}::uuid IS NOT NULL AND a.id = ${id}',
    test: ['test/isolation.test.ts', "another team's id and a random one get the same 404"],
  },
  {
    name: 'logs the body of each request',
    file: 'src/http/observe.ts',
    find: 'status: reply.statusCode,\n          duration_ms',
    replace: 'status: reply.statusCode,\n          body: request.body,\n          duration_ms',
    test: ['test/http/contents.test.ts', 'a refused body is quoted neither in the answer nor in the log'],
  },
  {
    name: 'acknowledges before the commit',
    file: 'src/platform/postgres/session.ts',
    find: "await this.send(command('COMMIT'), WRITE)",
    replace: "void this.send(command('COMMIT'), WRITE).catch(() => {})",
    test: ['test/platform/transaction.test.ts', 'that loses its connection during its COMMIT'],
  },
  {
    name: 'writes no event for every second revision',
    file: 'src/agent/change-statement.ts',
    find: '${action}, ${payload} FROM written',
    replace: '${action}, ${payload} FROM written WHERE ${revision}::bigint % 2 = 1',
    test: [
      'test/features/events/relay.test.ts',
      'is delivered as a CloudEvent under the subject of its team and agent',
    ],
  },
  {
    name: 'removes events from the outbox that were not delivered',
    file: 'src/features/events/deliver.ts',
    find: '    if (performance.now() > deadline) throw',
    replace: '    delivered.push(event)\n    if (performance.now() > deadline) throw',
    test: ['test/features/events/deliver.test.ts', 'is held up by an event that is never taken'],
  },
  {
    name: 'retries a POST',
    file: 'src/platform/upstream/upstream.ts',
    find: "const mayRetry = request.method === 'GET' && request.body === undefined",
    replace: 'const mayRetry = true',
    test: [
      'test/features/evolution/breaker.test.ts',
      'lets at most a tenth of calls be retried, and never a POST',
    ],
  },
  {
    name: 'has no deadline for a service that hangs',
    file: 'src/platform/upstream/upstream.ts',
    find: 'if (exchange.onTimeLimit()) timer.refresh()',
    replace: 'timer.refresh()',
    test: ['test/features/evolution/misbehaviour.test.ts', 'by hang is a'],
  },
  {
    name: 'leaves a socket to NATS open',
    file: 'src/platform/nats/nats.ts',
    find: 'protocol.transport.discard()',
    replace: 'protocol.transport',
    test: ['test/platform/nats.test.ts', 'leaves no socket of an attempt to reconnect'],
  },
  {
    name: 'accepts a token without a signature',
    file: 'src/http/auth/identity.ts',
    find: '= await jwtVerify(token, keys.getKey, {',
    replace:
      "= token.endsWith('.') ? { payload: (await import('jose')).decodeJwt(token), protectedHeader: {} as never } : await jwtVerify(token, keys.getKey, {",
    test: ['test/http/auth/tokens.test.ts', 'alg none'],
  },
  {
    name: 'accepts a token that was revoked',
    file: 'src/http/auth/identity.ts',
    find: '    revocations?.check(verified)\n',
    replace: '',
    test: ['test/http/auth/revocations.test.ts', 'a token or user of the list is refused within 5 s'],
  },
  {
    name: 'parses a genome and writes it again',
    file: 'src/features/evolution/routes.ts',
    find: 'request.bodyBytes as Buffer',
    replace: 'Buffer.from(JSON.stringify(request.body))',
    test: ['test/features/evolution/bytes.test.ts', 'reach the upstream and come back as they are'],
  },
  {
    name: 'gives places to the first team again and again',
    file: 'src/platform/limits/turns.ts',
    find: '      if (this.#queues.delete(next)) this.#queues.set(next, queue)\n',
    replace: '',
    test: ['test/platform/turns.test.ts', 'go to the teams in turn, and within a team in order'],
  },
  {
    name: 'reads an old revision from the snapshot before it',
    file: 'src/agent/columns.ts',
    find: 'Math.ceil(revision / SNAPSHOT_INTERVAL)',
    replace: 'Math.floor(revision / SNAPSHOT_INTERVAL)',
    test: ['test/agent/snapshots.test.ts', 'holds the agent as it is then'],
  },
  {
    name: 'drops a month of the audit log too much',
    file: 'src/features/audit/queries.ts',
    find: 'monthOf(nowSeconds * 1_000) - retentionMonths)',
    replace: 'monthOf(nowSeconds * 1_000) - retentionMonths + 1)',
    test: [
      'test/features/audit/partitions.test.ts',
      'are dropped when all their records are older than the retention',
    ],
  },
  {
    name: 'opens a sealed secret in the place of another',
    file: 'src/platform/crypto/secrets.ts',
    find: 'function describe(',
    replace: 'const describe = () => Buffer.alloc(0)\nfunction _describe(',
    test: ['test/agent/secrets.test.ts', 'opens only in its own place'],
  },
  {
    name: 'shares idempotency keys between users',
    file: 'src/agent/create-once.ts',
    find: '`${prefix}${userId}:${given}`',
    replace: '`${prefix}${given}${userId.slice(0, 0)}`',
    test: ['test/agent/idempotency.test.ts', 'belongs to its user: others may use the same key'],
  },
  {
    name: 'changes agents twice when a bulk request runs twice at once',
    file: 'src/agent/change-statement.ts',
    find: 'AND bulk_id = ${bulkId} AND bulk_changes.agent_id = ${agent}',
    replace: 'AND bulk_id = ${bulkId} AND bulk_changes.agent_id = ${agent} AND false',
    test: ['test/features/batch/bulk.test.ts', 'sent to two replicas at once changes each agent once'],
  },
  {
    name: 'leaves redacted values in snapshots',
    file: 'src/agent/history/redact.ts',
    find: 'await redactSnapshots(sql, teamId, id, field, some)',
    replace: 'void some',
    test: ['test/agent/redact.test.ts', 'removes the value from all snapshots of its time'],
  },
  {
    name: 'connects to private addresses for a caller',
    file: 'src/platform/outbound/guard.ts',
    find: 'buildConnector({ ...NO_TIMEOUT, ...options })',
    replace: 'buildConnector({ ...NO_TIMEOUT, ...options, blockList: undefined as never })',
    test: ['test/platform/outbound-addresses.test.ts', 'connects to none of them through a name'],
  },
  {
    name: 'keeps the permit of a call that was not sent',
    file: 'src/features/services/mount/routes.ts',
    find: 'if (!wasSent) permit?.refund()',
    replace: 'if (!wasSent) void permit',
    test: ['test/features/services/request-budget.test.ts', 'gives the permit back if the call was not sent'],
  },
  {
    name: 'passes cookies to mounted services',
    file: 'src/features/services/mount/template.ts',
    find: '  `cookie cookie2 set-cookie set-cookie2`,\n',
    replace: '',
    test: ['test/features/services/forwarding.test.ts', 'never passes headers that act on the whole origin'],
  },
]
