import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import type { Compiled } from './apply-to-node.ts'
import { PreparedConfigs, type CompileInput } from './prepared-configs.ts'

const compiled: Compiled = { config: {}, settled: { text: '{}', sha: '' }, locateError: () => undefined }
const one = makeSite(1, { domains: ['one.test'] })
const two = makeSite(2, { domains: ['two.test'] })
const input = (): CompileInput => ({
  state: { sites: [{ ...one }, { ...two }], options: { catchAll: 'not_found', gracePeriod: 3 } },
  place: makeNode('newest'),
})

test('a prepared configuration is used once, for the node and the input that it was made from', () => {
  const prepared = new PreparedConfigs()
  prepared.put(1, input(), compiled)
  assert.equal(prepared.take(2, input()), undefined)
  assert.equal(prepared.take(1, input()), compiled)
  assert.equal(prepared.take(1, input()), undefined)
  prepared.put(1, input(), compiled)
  prepared.clear()
  assert.equal(prepared.take(1, input()), undefined)
})

test('a prepared configuration is not used when a site, the settings or the node have changed', () => {
  const { state, place } = input()
  const { sites, options } = state
  const changed: Record<string, CompileInput> = {
    'one site less': { state: { sites: sites.slice(1), options }, place },
    'another order': { state: { sites: sites.toReversed(), options }, place },
    'another record': {
      state: { sites: [{ ...one, record: { ...one.record, enabled: false } }, two], options },
      place,
    },
    'another certificate': {
      state: { sites: [{ ...one, certificate: { certificate: 'a', key: 'b' } } as typeof one, two], options },
      place,
    },
    'another password': { state: { sites: [{ ...one, passwordHashes: { ann: 'x' } }, two], options }, place },
    'another option': { state: { sites, options: { ...options, maintenancePage: '<p>soon</p>' } }, place },
    'another port': { state, place: { ...place, httpPort: place.httpPort + 1 } },
    'other capabilities': { state, place: makeNode('oldest') },
  }
  for (const [name, other] of Object.entries(changed)) {
    const prepared = new PreparedConfigs()
    prepared.put(1, input(), compiled)
    assert.equal(prepared.take(1, other), undefined, name)
  }
})
