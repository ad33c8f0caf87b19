import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultsAfterEdit } from '../../src/agent/fields/faults.ts'

const faults = [undefined, 'agent_name', 'delegated_agents', 'delegates.0.url', 'delegates.1.rest'].map(
  (name) => ({ name, label: 'Label', message: 'Message' }),
)

suite('the faults that are left', () => {
  test('after an edit of a field are those of all others', () => {
    assert.deepEqual(faultsAfterEdit(faults, 'delegates.0.url'), faults.toSpliced(3, 1))
    assert.equal(faultsAfterEdit(faults, 'purpose'), faults)
  })

  test('after the removal of a delegated agent have none of the list: the rows have other indexes', () => {
    assert.deepEqual(faultsAfterEdit(faults, 'delegated_agents'), faults.slice(0, 2))
  })
})
