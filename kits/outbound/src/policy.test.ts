import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '@hearth/runtime'
import * as fc from 'fast-check'
import { z } from 'zod'
import {
  createOutboundAllow,
  createOutboundPolicy,
  isPublicAddress,
  normaliseHost,
  outboundAllow,
  OutboundFailed,
  OutboundRefused,
  type Resolver,
} from './index.ts'

const nothing = createOutboundAllow([])

/** A resolver of a few names that records its queries. */
function namesOf(names: Record<string, readonly string[]>): Resolver & { asked: string[] } {
  const asked: string[] = []
  return Object.assign(
    async (host: string) => {
      asked.push(host)
      return names[host] ?? []
    },
    { asked },
  )
}

test('only addresses that are reachable in the public internet count as public', () => {
  const open = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '198.17.255.255']
  for (const address of [...open, '223.255.255.255', '2606:4700:4700::1111', '2a00::1', '2001:4860:4860::8888'])
    assert.equal(isPublicAddress(address), true, address)
  const closed = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::808:808
    64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:db8::1 2002:808:808::1 3fff::1 fc00::1 fd12:3456::1 fe80::1
    fe80::1%eth0 2606:4700::1%1 fec0::1 ff02::1 5f00::1 4000::1`
  for (const address of [...closed.split(/\s+/), 'localhost', '', '1.1.1', '0x1.1.1.1', '1.1.1.1/32'])
    assert.equal(isPublicAddress(address), false, address)
})

test('an IPv4 address embedded in IPv6 never counts as public', () => {
  const hex = (bytes: readonly number[]) =>
    `${(bytes[0]! * 256 + bytes[1]!).toString(16)}:${(bytes[2]! * 256 + bytes[3]!).toString(16)}`
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), (bytes) => {
      const embedded = hex(bytes)
      for (const form of [`::ffff:${bytes.join('.')}`, `::${embedded}`, `64:ff9b::${embedded}`, `2002:${embedded}::1`])
        assert.equal(isPublicAddress(form), false, form)
    }),
  )
})

test('every spelling of a host is normalised to one form', () => {
  const forms: [string, string | undefined][] = [
    ['WWW.Example.ORG', 'www.example.org'],
    ['example.org.', 'example.org'],
    ['localhost.', 'localhost'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['[::FFFF:10.0.0.1]', '::ffff:a00:1'],
    ['::1', '::1'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['', undefined],
    ['.', undefined],
    ['a..', undefined],
    ['a b', undefined],
    ['user@host', undefined],
    ['host:80', undefined],
    ['host/path', undefined],
    ['a\\b', undefined],
    ['256.1.1.1', undefined],
    ['[fe80::1%25eth0]', undefined],
  ]
  for (const [text, expected] of forms) assert.equal(normaliseHost(text), expected, text)
})

test('a name is resolved once and returned with its addresses', async () => {
  const resolver = namesOf({ 'a.example': ['1.1.1.1', '2606:4700::1'] })
  const policy = createOutboundPolicy(nothing, { resolver })
  const destination = await policy.resolve('A.example.', 443)
  assert.deepEqual(destination, {
    host: 'a.example',
    port: 443,
    addresses: ['1.1.1.1', '2606:4700::1'],
    isExempt: false,
  })
  assert.deepEqual(resolver.asked, ['a.example'])
})

test('a name with one address that is not public is refused', async () => {
  const policy = createOutboundPolicy(nothing, { resolver: namesOf({ 'a.example': ['1.1.1.1', '10.0.0.1'] }) })
  await assert.rejects(policy.resolve('a.example', 443), (error) => {
    assert(error instanceof OutboundRefused)
    assert.deepEqual([error.reason, error.host, error.port], ['address', 'a.example', 443])
    assert.match(error.message, /^a\.example does not lead/)
    return true
  })
})

test('private addresses are refused in every spelling without a DNS query', async () => {
  const resolver = namesOf({ localhost: ['127.0.0.1'] })
  const policy = createOutboundPolicy(nothing, { resolver })
  for (const host of ['127.0.0.1', '2130706433', '0x7f.0.0.1', '[::1]', '::ffff:10.0.0.1', '169.254.169.254', '0'])
    await assert.rejects(policy.resolve(host, 80), { name: 'OutboundRefused', reason: 'address' }, host)
  assert.deepEqual(resolver.asked, [])
  await assert.rejects(policy.resolve('localhost', 80), { name: 'OutboundRefused', reason: 'address' })
  await assert.rejects(policy.resolve('no host', 80), { name: 'OutboundRefused', reason: 'host' })
})

test('ports other than 80 and 443 are refused before the name is resolved', async () => {
  const resolver = namesOf({ 'a.example': ['1.1.1.1'] })
  const policy = createOutboundPolicy(nothing, { resolver })
  for (const port of [22, 8080, 0, 65_535])
    await assert.rejects(policy.resolve('a.example', port), { reason: 'port', port })
  assert.deepEqual(resolver.asked, [])
})

test('only hosts that the operator lists are exempt', async () => {
  const { ALLOW } = parseSettings(z.object({ ALLOW: outboundAllow }), {
    ALLOW: 'Lists.Home, nas.home:8443, 10.1.0.0/16, [fd00::5]:8080, 192.168.7.7',
  })
  const resolver = namesOf({
    'lists.home': ['192.168.1.2'],
    'nas.home': ['192.168.1.3'],
    'ten.home': ['10.1.2.3'],
    'mixed.home': ['10.1.2.3', '1.1.1.1'],
    'seven.home': ['192.168.7.7'],
    'sub.lists.home': ['192.168.1.2'],
  })
  const policy = createOutboundPolicy(ALLOW, { resolver })
  const allowed: [string, number][] = [
    ['lists.home', 9999],
    ['nas.home', 8443],
    ['ten.home', 1234],
    ['10.1.0.9', 80],
    ['seven.home', 5000],
    ['192.168.7.7', 80],
    ['fd00::5', 8080],
    ['mixed.home', 443],
  ]
  for (const [host, port] of allowed) assert.equal((await policy.resolve(host, port)).port, port, host)
  const refused: [string, number, string][] = [
    ['nas.home', 443, 'address'],
    ['sub.lists.home', 443, 'address'],
    ['mixed.home', 8080, 'port'],
    ['10.2.0.1', 80, 'address'],
    ['fd00::5', 80, 'address'],
    ['1.1.1.1', 22, 'port'],
  ]
  for (const [host, port, reason] of refused) await assert.rejects(policy.resolve(host, port), { reason }, host)
})

test('an invalid entry of the setting is named', () => {
  const schema = z.object({ ALLOW: outboundAllow })
  assert.equal(parseSettings(schema, {}).ALLOW.hasHost('localhost', 80), false)
  for (const wrong of ['10.0.0.0/33', 'http://nas', 'nas:0', 'nas:70000', 'a b', '*.home', '10.0.0.0/', 'nas:x', '/8'])
    assert.throws(
      () => parseSettings(schema, { ALLOW: `fine.home,${wrong}` }),
      /^OperatorError: ALLOW: entry 2 is /,
      wrong,
    )
})

test('a name without addresses and a failing or silent resolver are failures, not refusals', async () => {
  const failure = (kind: string) => (error: unknown) => error instanceof OutboundFailed && error.kind === kind
  await assert.rejects(
    createOutboundPolicy(nothing, { resolver: namesOf({}) }).resolve('a.example', 80),
    failure('unresolved'),
  )
  const failing = createOutboundPolicy(nothing, { resolver: () => Promise.reject(new Error('no server')) })
  await assert.rejects(failing.resolve('a.example', 80), failure('unresolved'))
  const silent = { resolver: () => new Promise<never>(() => undefined), lookupMs: 20 }
  await assert.rejects(createOutboundPolicy(nothing, silent).resolve('a.example', 80), failure('timeout'))
  const controller = new AbortController()
  const waiting = createOutboundPolicy(nothing, { ...silent, lookupMs: 10_000 }).resolve(
    'a.example',
    80,
    controller.signal,
  )
  controller.abort(new Error('not wanted any more'))
  await assert.rejects(waiting, /not wanted any more/)
})
