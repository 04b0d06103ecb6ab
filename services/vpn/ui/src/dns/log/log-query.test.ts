import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deciderOf, exportAddress, isNarrowed, queryTime, toLogQuery } from './log-query.ts'
import { formatDay, formatTime, withSeconds } from '@hearth/ui/format-time'

test('only set filters are sent, with local times as UTC', () => {
  const none = { search: '', filters: { client: '', result: '', type: '', from: '', to: '' } }
  const now = new Date('2026-11-21T12:00:00Z')
  assert.deepEqual(toLogQuery(none, now), { limit: 100 })
  assert.equal(isNarrowed(none), false)
  const filters = { client: 'Phone', result: 'blocked', type: 'AAAA', time: 'own', from: '2026-11-21T10:00', to: 'odd' }
  const narrowed = { search: 'ads', filters }
  assert.deepEqual(toLogQuery(narrowed, now), {
    limit: 100,
    domain: 'ads',
    client: 'Phone',
    status: 'blocked',
    type: 'AAAA',
    start: new Date('2026-11-21T10:00').toISOString(),
  })
  assert.equal(isNarrowed(narrowed), true)
  assert.deepEqual(toLogQuery({ search: '', filters: { time: '1' } }, now), {
    limit: 100,
    start: '2026-11-21T11:00:00.000Z',
  })
})

test('a query of today shows only the time', () => {
  const now = new Date(2026, 10, 21, 12)
  const [today, yesterday] = [new Date(2026, 10, 21, 9, 5, 7), new Date(2026, 10, 20, 9, 5, 7)]
  const time = formatTime(today, withSeconds)
  assert.equal(queryTime(today.toISOString(), now), time)
  assert.equal(queryTime(yesterday.toISOString(), now), `${formatDay(yesterday)} ${time}`)
})

test('a rule is named before a list as decider, and an alias is mentioned', () => {
  assert.equal(deciderOf({ rule: null, list: null, cname: false, modifiers: [] }), '')
  assert.equal(deciderOf({ rule: 'ads.example', list: null, cname: false, modifiers: [] }), 'rule ads.example')
  assert.equal(
    deciderOf({ rule: null, list: 'Big list', cname: true, modifiers: ['dnstype'] }),
    'for a name it points to, Big list $dnstype',
  )
})

test('the export contains what is shown, without paging', () => {
  assert.equal(exportAddress({ limit: 100 }), '/api/dns/queries/export')
  const filters = { result: 'rule', client: 'A & B' }
  const query = toLogQuery({ search: '', filters }, new Date())
  assert.equal(exportAddress(query), '/api/dns/queries/export?client=A+%26+B&reason=rule')
})
