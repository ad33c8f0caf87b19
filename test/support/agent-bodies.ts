import fc from 'fast-check'

const letter = fc.constantFrom('a', 'b', 'c')
const skills = fc.constantFrom([], [{ id: 'a', name: 'a' }], [{ name: 'b', id: 'a', x: 1 }])
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })
const text = fc.oneof(letter, fc.string({ unit: 'grapheme', maxLength: 20 }))
const json = fc.dictionary(
  fc.constantFrom('a', 'b', '1', 'Ä'),
  fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constant(null),
    skills,
  ),
  { maxKeys: 3 },
)
/** Bodies of creations, of all fields. */
export const agentBodies = fc.record(
  {
    ...{ status: fc.constantFrom('draft', 'active', 'archived'), hub: text, agent_name: text },
    ...{ agent_url: maybe(fc.webUrl()), agent_system_prompt: maybe(text), purpose: maybe(text) },
    rate_limit_requests_per_minute: fc.integer({ min: 1, max: 2_147_483_647 }),
    access_level: fc.constantFrom('black_box', 'white_box'),
    ...{ agent_params: maybe(json), mcp_config: maybe(json), agent_metadata: maybe(json) },
    delegated_agents: fc.array(fc.record({ name: text, url: maybe(fc.webUrl()) }), { maxLength: 3 }),
    white_box_config: maybe(
      fc.record({
        repo_branch: text,
        github_token: maybe(fc.constantFrom('short', 'ghp-0123456789-abcdefghij')),
      }),
    ),
    api_key: maybe(fc.constantFrom('short', 'sk-0123456789-abcdefghij')),
    protocol: fc.constantFrom('chat_completions', 'a2a'),
    test_score: maybe(fc.oneof(fc.constantFrom('87.50', '-0', '007', 1e-7), fc.integer())),
    ...{ last_tested_by: maybe(text), evaluated_harnesses: maybe(fc.array(text, { maxLength: 2 })) },
    last_evaluated_at: maybe(fc.integer()),
    protection_status: fc.constantFrom('unprotected', 'guarded'),
    ...{ guard_config_id: maybe(fc.uuid()), guard_manually_configured: fc.boolean() },
    import_metadata: maybe(fc.record({ source: maybe(text), source_url: maybe(fc.webUrl()) })),
    capabilities: maybe(fc.record({ streaming: fc.boolean(), tools: fc.array(text, { maxLength: 2 }) })),
    skills: maybe(fc.array(fc.oneof(json, fc.record({ id: text, name: text })), { maxLength: 3 })),
  },
  { requiredKeys: [] },
)
