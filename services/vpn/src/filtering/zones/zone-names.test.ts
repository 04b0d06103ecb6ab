import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reverseName } from '../../dns/reverse-name.ts'
import { readZone } from './zone-names.ts'

const read = (text: string) => {
  const found = readZone(text)
  return 'reason' in found ? found.reason : found
}
const namesOf = (text: string) => {
  const found = readZone(text)
  return 'names' in found ? found.names : []
}

test('a zone is a domain in its one form, or a network without host bits', () => {
  assert.deepEqual(read(' *.Corp.Example. '), { zone: 'corp.example', names: ['corp.example'] })
  assert.deepEqual(read('bücher.example'), { zone: 'xn--bcher-kva.example', names: ['xn--bcher-kva.example'] })
  assert.deepEqual(read('10.in-addr.arpa'), { zone: '10.in-addr.arpa', names: ['10.in-addr.arpa'] })
  assert.deepEqual(read('lan'), { zone: 'lan', names: ['lan'] })
  assert.deepEqual(read('10.0.0.0/8'), { zone: '10.0.0.0/8', names: ['10.in-addr.arpa'] })
  assert.deepEqual(read('192.168.4.0/22'), {
    zone: '192.168.4.0/22',
    names: ['4.168.192.in-addr.arpa', '5.168.192.in-addr.arpa', '6.168.192.in-addr.arpa', '7.168.192.in-addr.arpa'],
  })
  assert.deepEqual(read('10.0.0.1'), { zone: '10.0.0.1/32', names: ['1.0.0.10.in-addr.arpa'] })
  assert.deepEqual(read('FD00:0::/8'), { zone: 'fd00::/8', names: ['d.f.ip6.arpa'] })
  assert.deepEqual(read('fd00:1::/33'), {
    zone: 'fd00:1::/33',
    names: Array.from({ length: 8 }, (_, n) => `${n}.1.0.0.0.0.0.d.f.ip6.arpa`),
  })
  assert.equal(namesOf('172.16.0.0/12').length, 16)
})

test('what is neither is refused with the reason', () => {
  for (const [text, reason] of [
    ['', /root/],
    ['.', /root/],
    ['a b', /domain name or a network/],
    ['10.1.0.0/8', /the network is 10\.0\.0\.0\/8/],
    ['fd00::1/64', /the network is fd00::\/64/],
    ['10.0.0.0/7', /prefix from 8 to 32/],
    ['10.0.0.0/33', /prefix from 8 to 32/],
    ['10.0.0.0/08', /prefix/],
    ['::/0', /prefix from 8 to 128/],
    ['10.0.0.0/8/8', /domain name or a network/],
    ['fe80::%eth0/64', /domain name or a network/],
    [`${'a'.repeat(64)}.example`, /domain name/],
    [`${'a.'.repeat(130)}example`, /domain name/],
    ['evil\u0000.example', /domain name/],
  ] as const) {
    const found = readZone(text)
    assert.match('reason' in found ? found.reason : found.zone, reason, text)
  }
})

test('the reverse name of every address of a network is in one of its zones, and no other is', () => {
  const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  fc.assert(
    fc.property(address, fc.integer({ min: 8, max: 32 }), address, (base, prefix, other) => {
      const mask = (2 ** 32 - 2 ** (32 - prefix)) >>> 0
      const number = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0)
      const textOf = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
      const network = (number(base) & mask) >>> 0
      const names = namesOf(`${textOf(network)}/${prefix}`)
      const isIn = (value: number) =>
        names.filter((name) => `.${reverseName(textOf(value))}`.endsWith(`.${name}`)).length
      const inside = (network | (number(other) & ~mask)) >>> 0
      assert.equal(isIn(inside), 1)
      assert.equal(isIn(number(other)), (number(other) & mask) >>> 0 === network ? 1 : 0)
    }),
  )
})
