import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reverseName } from '../../dns/reverse-name.ts'
import { readRecordLines } from './record-lines.ts'
import { RecordSet } from './record-set.ts'
import { isFault, readRecord, recordData } from './record-value.ts'
import { DnsRecordType } from './schema.ts'

const read = (name: string, type: string, value: string) => readRecord({ name, type: type as DnsRecordType, value })
const label = 'a'.repeat(63)
const longName = [label, label, label, 'b'.repeat(61)].join('.')

test('values have one form, and data as it goes over the wire', () => {
  for (const [type, given, value, data] of [
    ['A', ' 192.168.1.5 ', '192.168.1.5', 'c0a80105'],
    ['AAAA', 'FD00:0:0::5', 'fd00::5', `fd00${'0'.repeat(26)}05`],
    ['CNAME', 'NAS.Home.', 'nas.home', '036e617304686f6d6500'],
    ['MX', '10  Mail.home', '10 mail.home', '000a046d61696c04686f6d6500'],
    ['SRV', '0 5 443 nas.home', '0 5 443 nas.home', '0000000501bb036e617304686f6d6500'],
    ['TXT', 'v=1', 'v=1', '03763d31'],
    ['TXT', '"a\\"b" "c"', '"a\\"b" "c"', '036122620163'],
    ['CNAME', 'bücher.example', 'xn--bcher-kva.example', '0d786e2d2d62636865722d6b7661076578616d706c6500'],
  ] as const) {
    const found = read('x.home', type, given)
    assert.ok(!isFault(found), JSON.stringify(found))
    assert.deepEqual([found.value, recordData(found)], [value, data])
  }
  const long = read('x.home', 'TXT', 'x'.repeat(300))
  assert.ok(!isFault(long))
  assert.equal(recordData(long), `ff${'78'.repeat(255)}2d${'78'.repeat(45)}`)
})

test('the faulty part is named', () => {
  const cases: [string, string, string, string, RegExp][] = [
    ['no spaces', 'A', '1.2.3.4', 'name', /"no spaces"/],
    [`${label}a.home`, 'A', '1.2.3.4', 'name', /domain name/],
    [`x.${longName}`, 'A', '1.2.3.4', 'name', /domain name/],
    [`*.${longName.slice(1)}`, 'A', '1.2.3.4', 'name', /domain name/],
    ['a\u{7}.home', 'A', '1.2.3.4', 'name', /"a\u{fffd}\.home"/u],
    ['1.2.3.4', 'A', '1.2.3.4', 'name', /domain name/],
    ['x.*.home', 'A', '1.2.3.4', 'name', /domain name/],
    ['x.home', 'A', 'fd00::1', 'value', /IPv4 address: "fd00::1"/],
    ['x.home', 'AAAA', 'fe80::1%eth0', 'value', /without a zone/],
    ['x.home', 'CNAME', 'http://nas', 'value', /domain name/],
    ['x.home', 'MX', 'mail.home', 'value', /priority and a name/],
    ['x.home', 'MX', '70000 mail.home', 'value', /priority "70000"/],
    ['x.home', 'SRV', '0 5 x nas.home', 'value', /port "x"/],
    ['x.home', 'SRV', '0 5 443 no_spaces!', 'value', /domain name/],
    ['x.home', 'TXT', '"open', 'value', /not closed/],
    ['x.home', 'TXT', 'a\nb', 'value', /control characters/],
    ['x.home', 'TXT', 'x'.repeat(2001), 'value', /2000 bytes, and has 2001/],
    ['x.home', 'TXT', `"${'x'.repeat(256)}"`, 'value', /255 bytes/],
  ]
  for (const [name, type, value, field, message] of cases) {
    const found = read(name, type, value)
    assert.ok(isFault(found), `${name} ${type} ${value}`)
    assert.equal(found.field, field)
    assert.match(found.message, message)
  }
  assert.ok(!isFault(read(longName, 'A', '1.2.3.4')))
})

test('addresses have reverse names, and PTR records take addresses', () => {
  assert.equal(reverseName('192.168.1.5'), '5.1.168.192.in-addr.arpa')
  assert.equal(reverseName('fd00::12'), `2.1.${'0.'.repeat(28)}d.f.ip6.arpa`)
  const found = read('192.168.1.5', 'PTR', 'nas.home')
  assert.ok(!isFault(found))
  assert.equal(found.domain, '5.1.168.192.in-addr.arpa')
})

test('whatever is typed is a record that fits a message, or a fault', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.domain(), fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(text, fc.constantFrom(...DnsRecordType.options), text, (name, type, value) => {
      const found = read(name, type, value)
      if (isFault(found)) return assert.doesNotMatch(found.message, /\p{Cc}/u)
      const data = recordData(found)
      assert.ok(/^(?:[0-9a-f]{2})+$/.test(data) && data.length < 5000)
      assert.match(found.domain, /^[a-z0-9._-]{1,253}$/)
      assert.deepEqual(read(found.belowOnly ? `*.${found.domain}` : found.domain, type, found.value), found)
    }),
    { numRuns: 3000 },
  )
})

test('lines of a hosts file and of records are read', () => {
  const lines = readRecordLines(`\u{feff}# home
127.0.0.1 localhost
ff02::1 ip6-allnodes
192.168.1.5\tnas.home nas # the box
::1 localhost ip6-loopback
tv.home A 192.168.1.6\r
mail.home 600 IN MX 10 nas.home
x.home in 60 txt v=1; p=2 # not a comment
192.168.1.7 PTR cam.home
`)
  assert.deepEqual(
    lines.map(({ line, record }) => [line, record?.domain, record?.type, record?.value, record?.ttl, record?.reverse]),
    [
      [4, 'nas.home', 'A', '192.168.1.5', 300, true],
      [4, 'nas', 'A', '192.168.1.5', 300, false],
      [6, 'tv.home', 'A', '192.168.1.6', 300, true],
      [7, 'mail.home', 'MX', '10 nas.home', 600, true],
      [8, 'x.home', 'TXT', 'v=1; p=2 # not a comment', 60, true],
      [9, '7.1.168.192.in-addr.arpa', 'PTR', 'cam.home', 300, true],
    ],
  )
})

test('a line that is neither says what is missing', () => {
  for (const [line, field, message] of [
    ['nas.home', 'value', /is missing/],
    ['nas.home SPF x', 'type', /one of A, AAAA.*"SPF"/],
    ['nas.home 99999999 A 1.2.3.4', 'ttl', /at most/],
    ['192.168.1.5', 'name', /missing behind the address/],
    ['0.0.0.0 ads.example', 'value', /belong into a list/],
    ['$ORIGIN home.', 'value', /is missing/],
  ] as const) {
    const [found] = readRecordLines(line)
    assert.equal(found?.fault?.field, field, line)
    assert.match(found?.fault?.message ?? '', message)
  }
  const many = readRecordLines(`1.2.3.4 ${'a.b '.repeat(200_000)}\n`.repeat(2) + 'a.b A 1.2.3.4\n'.repeat(30_000))
  assert.match(many.at(-1)?.fault?.message ?? '', /too many/)
})

test('aliases stand alone and never lead in a circle', () => {
  const record = (name: string, type: string, value: string) => {
    const found = read(name, type, value)
    if (isFault(found)) throw new Error(found.message)
    return found
  }
  const set = new RecordSet([
    record('a.home', 'CNAME', 'b.home'),
    record('b.home', 'CNAME', 'c.home'),
    record('nas.home', 'A', '192.168.1.5'),
    record('*.lab.home', 'CNAME', 'x.test.home'),
    ...Array.from({ length: 8 }, (_, n) => record(`c${n}.chain`, 'CNAME', `c${n + 1}.chain`)),
  ])
  const conflict = (name: string, type: string, value: string) => set.conflictOf(record(name, type, value))
  assert.match(conflict('c.home', 'CNAME', 'a.home')?.message ?? '', /a\.home leads back to c\.home/)
  assert.match(conflict('self.home', 'CNAME', 'self.home')?.message ?? '', /leads back/)
  assert.match(conflict('*.home', 'CNAME', 'new.home')?.message ?? '', /leads back/)
  assert.match(conflict('x.test.home', 'CNAME', 'new.lab.home')?.message ?? '', /leads back/)
  assert.match(conflict('start.chain', 'CNAME', 'c0.chain')?.message ?? '', /more than 8/)
  assert.match(conflict('a.home', 'A', '1.2.3.4')?.message ?? '', /alias of b\.home/)
  assert.match(conflict('nas.home', 'CNAME', 'a.home')?.message ?? '', /other records/)
  assert.equal(conflict('nas.home', 'A', '192.168.1.5')?.isKnown, true)
  assert.equal(conflict('nas.home', 'A', '192.168.1.6'), undefined)
  assert.equal(conflict('c.home', 'CNAME', 'nas.home'), undefined)
})
