import type { World } from './world.ts'

const NAMES = [
  'Invoice dispute triage — EMEA',
  'Claims intake — Großschaden & Kasko (Österreich)',
  'payroll-dispatcher',
  'Contract clause comparer',
  'KYC document reader',
  'Помощник закупок — Almaty',
  'Warehouse slotting advisor',
  'Refund negotiator (voice, second line, returns and exchanges)',
  'Sanctions list screener',
  'HR policy answers',
  'Meter reading anomaly explainer',
  'Fraud ring summariser',
  'Label translator nl→fr',
]
const MODELS = [
  'claude-sonnet-5',
  'gpt-5.4',
  'mistral-large-4',
  'claude-opus-5',
  'gpt-5.4-mini',
  'qwen-4',
  'llama-4-70b',
]
const STATUSES = [
  'active',
  'active',
  'active',
  'active',
  'under_review',
  'pending',
  'draft',
  'deprecated',
  'rejected',
]
const STAGES = [
  'registered',
  'registered',
  'registered',
  'tested',
  'tested',
  'hardened',
  'hardened',
  'trusted',
  'optimized',
  'adapted',
]
const PROTECTION = ['guarded', 'guarded', 'guarded', 'configured', 'unprotected']

/** Fills the team of the demonstration up to `count` agents, which are copies of its own with other values. */
export async function growFleet({ running, agents }: World, count: number): Promise<void> {
  const { database } = running
  const sources = Object.values(agents)
  for (const [index, source] of sources.entries()) {
    await database.query(
      `INSERT INTO agents
       SELECT copy.* FROM agents a, generate_series($2::int, $3::int, $4::int) AS n, json_populate_record(
         a, json_build_object(
           -- As the console makes them: ordered by the time of creation.
           'id', lpad(to_hex((a.created_at - n * 60)::bigint * 1000), 12, '0') || '7'
             || substr(md5(n::text || a.id), 1, 3) || '8' || substr(md5(a.id || n::text), 1, 15),
           'agent_name', ($5::text[])[1 + n % 13] || CASE WHEN n > 13 THEN ' ' || n ELSE '' END,
           'model_name', ($6::text[])[1 + n % 7],
           'status', ($7::text[])[1 + (n * 7) % 9],
           'trust_stage', ($8::text[])[1 + (n * 3) % 10],
           'protection_status', ($9::text[])[1 + n % 5],
           'created_at', a.created_at - n * 60,
           'updated_at', GREATEST(a.created_at - n * 60, a.updated_at - n * n)
         )
       ) AS copy
       WHERE a.id = $1`,
      [
        source,
        index + 1,
        count - sources.length,
        sources.length,
        NAMES,
        MODELS,
        STATUSES,
        STAGES,
        PROTECTION,
      ],
    )
  }
  await database.query('ANALYZE agents')
}
