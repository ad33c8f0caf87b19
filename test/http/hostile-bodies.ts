/** Bodies of up to 1 MiB, each made to be as much work as it can be. */

const MIB = 1024 * 1024

const filled = (prefix: string, unit: string, suffix: string, size = MIB): string =>
  prefix + unit.repeat(Math.floor((size - prefix.length - suffix.length) / unit.length)) + suffix

const nested = (name: string, inner: string) => `{"agent_params":{"${name}":${inner}}}`

const unknownKeys = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":0`).join(',')

/** 64 containers deep, each with a name as long as an answer repeats it. */
function deepNames(inner: string): string {
  const open = `{"${'n'.repeat(100)}":`
  return `{"agent_params":${open.repeat(61)}${inner}${'}'.repeat(61)}}`
}

/** Seventeen digits, which only a full comparison tells from a number that a double changes. */
function longNumbers(tail: string): string {
  const numbers: string[] = []
  for (let index = 0; numbers.length < 50_000; index++)
    numbers.push(`${0.1 + Math.sqrt(index + 2) / 977}${tail}`)
  return numbers
    .join(',')
    .slice(0, MIB - 100)
    .replace(/,[^,]*$/, '')
}

export const HOSTILE_BODIES: Record<string, string | Buffer> = {
  '500,000 wrong items': filled('{"evaluated_harnesses":[', '0,', '0]}'),
  '340,000 right items': filled('{"evaluated_harnesses":[', '"",', '""]}'),
  '340,000 delegated agents': filled('{"delegated_agents":[', '{},', '{}]}'),
  '80,000 unknown keys': `{${unknownKeys(80_000)}}`,
  '80,000 nested unknown keys': nested('x', `{${unknownKeys(80_000)}}`),
  '500,000 open arrays': filled('{"agent_params":', '[', ''),
  '500,000 open arrays in an ignored field': filled('{"zzz":', '[', ''),
  '64 levels, side by side': nested('x', `[${`${'['.repeat(61)}${']'.repeat(61)},`.repeat(8_000)}1]`),
  'a decimal of 64 zeros and an x': `{"test_score":"${'0'.repeat(64)}x"}`,
  'a decimal of a million zeros and an x': filled('{"test_score":"', '0', 'x"}'),
  'a million digits': filled('{"test_score":', '9', '}'),
  'a million nested digits': filled(nested('x', '1').slice(0, -3), '7', '}}'),
  'a million digits behind the point': filled('{"rate_limit_requests_per_minute":1.', '0', '1}'),
  'an exponent of a million digits': filled('{"test_score":1e', '9', '}'),
  '170,000 numbers of 300 digits': filled('{"agent_params":{"x":[', '1e300,', '1]}}'),
  '170,000 numbers too large for a double': filled('{"agent_params":{"x":[', '1e400,', '1]}}'),
  '50,000 numbers of seventeen digits': nested('x', `[${longNumbers('')}]`),
  '46,000 numbers of eighteen digits': nested('x', `[${longNumbers('0')}]`),
  '60,000 times one name': filled('{', '"test_score":1e5,', '"test_score":1}'),
  '60,000 times one name, wrong': filled('{', '"agent_params":1e400,', '"hub":1}'),
  'a million plain characters': filled('{"agent_system_prompt":"', 'a', '"}'),
  'a million bytes of emoji': filled('{"agent_system_prompt":"', '😀', '"}', MIB / 2),
  '170,000 escapes': filled('{"agent_params":{"x":"', '\\u0041', '"}}'),
  '500,000 backslashes': filled('{"agent_params":{"x":"', '\\\\', '"}}'),
  '87,000 surrogate pairs, the last one broken': filled(
    '{"agent_params":{"x":"',
    '\\ud83d\\ude00',
    '\\ud83d"}}',
  ),
  '116,000 NULs': filled('{"agent_params":{"x":[', '"\\u0000",', '1]}}'),
  '80,000 prototype names': filled('{"agent_params":{"x":[', '{"__proto__":1},', '1]}}'),
  '500,000 escapes without an end': filled('{"agent_params":{"x":"', '\\n', ''),
  'a million spaces and an x': filled('', ' ', 'x'),
  'a valid body and one brace too many': filled('{"evaluated_harnesses":[', '"",', '""]}}'),
  'a name of 500,000 characters over 1,000 faults': nested(
    'n'.repeat(500_000),
    `[${'1e400,'.repeat(1_000)}1]`,
  ),
  'a name of 80,000 escapes over 1,000 faults': nested(
    '\\u0041'.repeat(80_000),
    `[${'1e400,'.repeat(1_000)}1]`,
  ),
  '64 names of 100 characters over 100,000 faults': deepNames(`[${'1e400,'.repeat(100_000)}1]`),
  'a UUID of a million hyphens': filled('{"guard_config_id":"', '-', '"}'),
  'a UUID of a million digits': filled('{"guard_config_id":"', 'a', '"}'),
  'a status of a million characters': filled('{"status":"', 'a', '"}'),
  'an api_key of a million characters': filled('{"api_key":"', 'k', '"}'),
  'a token of a million characters': filled('{"white_box_config":{"github_token":"', 'k', '"}}'),
  'a million bytes that are not UTF-8': Buffer.alloc(MIB, 0xff),
  'not UTF-8 at the very end': Buffer.concat([
    Buffer.from(filled('"', 'é', '', MIB / 2)),
    Buffer.from([0xff]),
  ]),
}
