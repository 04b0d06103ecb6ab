import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { startService, type TestService } from './in-process.ts'

/** Texts that became configuration lines, options or files in other programs of this kind. */
const hostile = [
  'phone\n[Peer]\nPublicKey = AAAA',
  'phone\nPostUp = touch /tmp/owned',
  'phone\r\nPostUp = x',
  'a\u0000b',
  'line\u2028separator',
  'paragraph\u2029separator',
  'tab\tinside',
  'escape\u001b[2J',
  'right\u202eleft',
  'zero\u200bwidth',
]

async function withInterface(): Promise<TestService> {
  const service = await startService()
  const made = await service.call('POST', '/api/interfaces', {
    name: 'wg0',
    address: '10.8.0.1/24',
    address6: 'fd08::1/64',
    listen_port: 51_820,
  })
  assert.equal(made.status, 201, made.text)
  return service
}

/** Reads a configuration the way wg-quick does: sections, `Key = value`, comments from `#` to the end of the line. */
function parseConfiguration(text: string): Record<string, string>[] {
  const sections: Record<string, string>[] = []
  for (const line of text.split('\n')) {
    const plain = line.replace(/#.*/, '').trim()
    if (plain === '') continue
    if (plain.startsWith('[')) sections.push({ section: plain })
    else {
      const [, key = '', value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(plain) ?? assert.fail(`no key in ${plain}`)
      Object.assign(sections.at(-1) ?? assert.fail('a key before a section'), { [key]: value })
    }
  }
  return sections
}

test('peer names with line breaks, control or invisible characters are refused, and the error names the field', async () => {
  await using service = await withInterface()
  for (const name of [...hostile, '', ' ', 'x'.repeat(65)]) {
    const reply = await service.call('POST', '/api/peers', { name, interface: 'wg0' })
    assert.equal(reply.status, 422, JSON.stringify(name))
    assert.equal(reply.body.details.fields[0].path, 'name')
  }
  assert.equal((await service.call('GET', '/api/peers')).body.data.total, 0)
})

test('any accepted name gives a configuration that describes exactly the peer', async () => {
  await using service = await withInterface()
  const visible = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.constantFrom('-h', '# x', '[Peer]', 'PostUp = x', '%i; $(id)', '"quoted"', '../../etc'),
  )
  await fc.assert(
    fc.asyncProperty(visible, async (name) => {
      const made = await service.call('POST', '/api/peers', { name, interface: 'wg0' })
      if (made.status !== 201) {
        assert.ok([409, 422].includes(made.status), made.text)
        return
      }
      const peer = made.body.data
      const config = await service.call('GET', `/api/peers/${peer.id}/config`)
      const [device, server, ...rest] = parseConfiguration(config.text)
      assert.deepEqual(rest, [])
      assert.deepEqual(Object.keys(device ?? {}), ['section', 'PrivateKey', 'Address', 'DNS', 'MTU'])
      assert.deepEqual(Object.keys(server ?? {}), [
        'section',
        'PublicKey',
        'PresharedKey',
        'Endpoint',
        'AllowedIPs',
        'PersistentKeepalive',
      ])
      assert.equal(device?.['Address'], `${peer.ip}/32, ${peer.ipv6}/128`)
      assert.match(config.headers['content-disposition'] ?? '', /^attachment; filename="[\w.=+-]{1,20}\.conf"/)
      assert.equal((await service.call('DELETE', `/api/peers/${peer.id}`)).status, 200)
    }),
    { numRuns: 60 },
  )
})

test('interface names must be valid Linux names', async () => {
  await using service = await startService()
  const names = [
    '-h',
    '--help',
    'all',
    'default',
    'lo',
    'wg 0',
    'wg0\n',
    'wg/0',
    '../x',
    'wg0;id',
    '0wg',
    'sixteencharacters',
    'wġ0',
    'ｗg0',
    'wg.0',
    '',
    'ALL',
  ]
  for (const name of names) {
    const reply = await service.call('POST', '/api/interfaces', { name, address: '10.8.0.1/24', listen_port: 51_820 })
    assert.equal(reply.status, 422, JSON.stringify(name))
    assert.equal(reply.body.details.fields[0].path, 'name')
    if (!/[/\n]|^$/.test(name))
      assert.equal((await service.call('GET', `/api/interfaces/${encodeURIComponent(name)}`)).status, 400, name)
  }
})

test('resolvers, endpoint host and networks must be addresses', async () => {
  await using service = await withInterface()
  for (const dns of [
    '1.1.1.1\nPostUp = x',
    'resolver.example',
    '1.1.1.1; id',
    '1.1.1.1,,x',
    '1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5',
  ]) {
    const reply = await service.call('PUT', '/api/interfaces/wg0', { dns })
    assert.equal(reply.status, 422, dns)
    assert.equal(reply.body.details.fields[0].path, 'dns')
  }
  for (const public_endpoint of [
    'vpn.example.org\nPostUp = x',
    'a b',
    'host:51820',
    'http://host',
    '-host',
    'host\u0000',
    'a..b',
  ]) {
    assert.equal((await service.call('PUT', '/api/settings', { public_endpoint })).status, 422, public_endpoint)
  }
  for (const network of ['0.0.0.0/0; id', '10.0.0.0/33', '10.0.0.0/8\n', 'all', '10.0.0.0/8#']) {
    const reply = await service.call('POST', '/api/peers', {
      name: 'n',
      interface: 'wg0',
      routing_mode: 'custom',
      allowed_ips: [network],
    })
    assert.equal(reply.status, 422, network)
    assert.match(reply.body.details.fields[0].path, /^allowed_ips/)
  }
})

test('allowed IPs affect only the device’s own file: the server accepts one address from each peer', async () => {
  await using service = await withInterface()
  const made = await service.call('POST', '/api/peers', {
    name: 'greedy',
    interface: 'wg0',
    routing_mode: 'custom',
    allowed_ips: '0.0.0.0/0, ::/0',
  })
  assert.equal(made.status, 201, made.text)
  const device = await service.service.app.tunnels.read('wg0')
  const peer = device?.peers.get(made.body.data.public_key)
  assert.deepEqual(
    [...(peer?.allowedIps ?? [])].sort(),
    [`${made.body.data.ip}/32`, `${made.body.data.ipv6}/128`].sort(),
  )
})

test('a public key must be valid, and not the interface’s own', async () => {
  await using service = await withInterface()
  const own = (await service.call('GET', '/api/interfaces/wg0')).body.data.public_key
  for (const public_key of ['', 'x', 'A'.repeat(44), `${'A'.repeat(42)}B=`, `${'A'.repeat(43)}=\n`]) {
    assert.equal(
      (await service.call('POST', '/api/peers', { name: 'k', interface: 'wg0', public_key })).status,
      422,
      public_key,
    )
  }
  assert.equal((await service.call('POST', '/api/peers', { name: 'k', interface: 'wg0', public_key: own })).status, 409)
})
