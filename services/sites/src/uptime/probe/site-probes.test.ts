import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRecord } from '../../../test/site-makers.ts'
import { probesOf } from './site-probes.ts'

const endpoint = { address: '127.0.0.1', httpPort: 80, httpsPort: 443 }
const one = { id: 1, name: 'caddy', endpoint }
const two = { id: 2, name: 'edge', endpoint: { ...endpoint, address: '10.0.0.2' } }

const probes = (domains: readonly string[], tls: object = { mode: 'internal' }, servers = [one]) =>
  probesOf(
    {
      id: 1,
      name: 'A',
      servers,
      record: makeRecord({ site_name: 'A', domains: [...domains], tls, upstreams: [{ url: 'http://10.0.0.5' }] }),
    },
    false,
  )

const targetsOf = ({ first, further }: ReturnType<typeof probes>) =>
  [...first, ...further].map(
    ({ server, target: { host, isHandshake } }) => `${server.name} ${host}${isHandshake ? ' handshake' : ''}`,
  )

test('one name is requested at each server, and of the others the handshake is checked', () => {
  const found = probes(['*.a.test', 'a.test', 'b.test'], undefined, [one, two])
  assert.deepEqual(targetsOf(found), [
    'caddy a.test',
    'edge a.test',
    'caddy hearth-check.a.test handshake',
    'edge hearth-check.a.test handshake',
    'caddy b.test handshake',
    'edge b.test handshake',
  ])
  assert.equal(found.unchecked, undefined)
})

test('names that are not checked are told in words', () => {
  const plain = probes(['a.test', 'b.test'], { mode: 'off' })
  assert.deepEqual([targetsOf(plain), plain.unchecked?.slice(0, 11)], [['caddy a.test'], 'Without TLS'])
  assert.match(probes(['a.test', 'b.test'], { mode: 'on_demand' }).unchecked ?? '', /order certificates/)
  assert.equal(probes(['a.test'], { mode: 'off' }).unchecked, undefined)
  const many = probes(['a.test', '10.0.0.1', ...Array.from({ length: 25 }, (_, index) => `n${index}.test`)])
  assert.deepEqual(
    [many.further.length, many.unchecked],
    [20, '20 names beside the first are checked, and 5 more are not. Addresses beside the first name are not checked.'],
  )
})
