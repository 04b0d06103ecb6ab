import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@hearth/testing'
import { hashDomain } from '../dns/policy/domain-hash.ts'
import { RecordWord } from '../dns/policy/record-layout.ts'
import { openRecordTable } from '../dns/policy/record-table.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'
import { reverseName } from '../dns/reverse-name.ts'
import { PeerNamesInForce } from './peer-names-in-force.ts'

const seeds = { first: 7, second: 11 }
const settings = { peerNamesSuffix: 'vpn', forwardedZones: [] }

const client = (number: number, label: string, addresses: string[]) => ({
  number,
  id: String(number),
  name: label,
  label,
  addresses,
  filtering: true,
  lists: null,
  logging: true,
  gateway: '10.8.0.1',
})

/** The data of the first record of a name, hexadecimal; undefined when the name is not there. */
function lookUp(memory: SharedArrayBuffer, domain: string): string | undefined {
  const table = openRecordTable(memory)
  const labels = domain.split('.').map((_, index, all) => hashDomain(all.slice(index).join('.'), seeds))
  const lanes = (name: 'lane1' | 'lane2') => Int32Array.from(labels, (label) => label?.[name] ?? 0)
  const records = table.find(lanes('lane1'), lanes('lane2'), labels.length, 0)
  if (records === 0 || table.words[records] === 0) return undefined
  const at = table.words[records + 1 + RecordWord.dataAt] ?? 0
  return Buffer.from(table.bytes.slice(at, at + (table.words[records + 1 + RecordWord.dataLength] ?? 0))).toString(
    'hex',
  )
}

const hexOf = (address: string) => Buffer.from(address.split('.').map(Number)).toString('hex')

test('after any changes the table answers as one that was made anew', () => {
  const random = createRandom(3)
  const pick = (below: number) => Math.floor(random() * below)
  const labels = Array.from({ length: 60 }, (_, index) => `device-${index}`)
  const addresses = Array.from({ length: 60 }, (_, index) => `10.8.0.${index + 2}`)
  const clients = new Map<number, ResolverClient>()
  const names = new PeerNamesInForce([])
  for (let round = 0; round < 600; round++) {
    const [number, place] = [pick(40), pick(60)]
    const taken = Array.from(clients.values()).some((each) => each.label === labels[place])
    const removed = random() < 0.4 ? [number] : []
    const set = removed.length > 0 || taken ? [] : [client(number, labels[place] ?? '', [addresses[place] ?? ''])]
    for (const each of removed) clients.delete(each)
    for (const each of set) clients.set(each.number, each)
    names.change({ set, removed })
    if (random() < 0.5) continue
    const memory = names.table(seeds, settings)
    const fresh = new PeerNamesInForce(clients.values()).table(seeds, settings)
    assert.equal(openRecordTable(memory).count, openRecordTable(fresh).count)
    for (const [index, label] of labels.entries()) {
      const owner = Array.from(clients.values()).find((each) => each.label === label)
      const expected = owner === undefined ? undefined : hexOf(owner.addresses[0] ?? '')
      assert.equal(lookUp(memory, `${label}.vpn`), expected, `${label} in round ${round}`)
      const reverse = reverseName(addresses[index] ?? '')
      assert.equal(lookUp(memory, reverse), lookUp(fresh, reverse), `${reverse} in round ${round}`)
    }
  }
})

test('peers that exchange their addresses in one change are found at the new ones', () => {
  const names = new PeerNamesInForce([client(1, 'one', ['10.8.0.2']), client(2, 'two', ['10.8.0.3'])])
  names.table(seeds, settings)
  names.change({ set: [client(1, 'one', ['10.8.0.3']), client(2, 'two', ['10.8.0.2'])], removed: [] })
  const memory = names.table(seeds, settings)
  assert.equal(lookUp(memory, 'one.vpn'), hexOf('10.8.0.3'))
  assert.equal(lookUp(memory, 'two.vpn'), hexOf('10.8.0.2'))
})

test('more peers than there was room for, and names that stand in for others, are found', () => {
  const names = new PeerNamesInForce([], [client(1, 'elsewhere', ['10.9.0.1'])])
  names.table(seeds, settings)
  const many = Array.from({ length: 500 }, (_, index) =>
    client(index + 10, `many-${index}`, [`10.8.${index >> 8}.${index & 255}`]),
  )
  for (const each of many) names.change({ set: [each], removed: [] })
  const memory = names.table(seeds, settings)
  assert.ok(many.every((each) => lookUp(memory, `${each.label}.vpn`) === hexOf(each.addresses[0] ?? '')))
  assert.equal(lookUp(memory, 'elsewhere.vpn'), hexOf('10.9.0.1'))
})
