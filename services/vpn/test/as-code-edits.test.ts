import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply, TestService } from './in-process.ts'
import { startService } from './in-process.ts'
import { doneOn } from './wanted-state.ts'

const begin = 'format: hearth-vpn-1\n'
const home = `${begin}interfaces:\n  home: { address: 10.8.0.1/24, listen_port: 51911 }\n`
const keyOf = (number: number) => Buffer.alloc(32, number).toString('base64')

function apply(service: TestService, text: string, more: object = {}): Promise<Reply> {
  return service.call('POST', '/api/apply', { text, ...more })
}

/** The changes of an apply in short, after it was done and found to be done. */
async function applied(service: TestService, text: string, more: object = {}): Promise<string[]> {
  const reply = await apply(service, text, more)
  assert.equal(reply.status, 200, reply.text)
  const again = await apply(service, text, more)
  assert.deepEqual(again.body.data.changes, [], 'a second apply has nothing to do')
  const { changes } = reply.body.data
  return changes.map(
    (change: { action: string; name: string; renamed_from: string | null; members: { member: string }[] }) =>
      `${change.action} ${change.renamed_from === null ? '' : `${change.renamed_from} to `}${change.name} ${change.members.map(({ member }) => member).join(',')}`.trim(),
  )
}

const problems = (reply: Reply): string[] => {
  assert.equal(reply.status, 422, reply.text)
  const { fields } = reply.body.details
  return fields.map(({ line, path, message }: Record<string, string>) => `${line} ${path} ${message}`)
}

test('a peer is known by its key: names, addresses and networks may go round', async () => {
  await using service = await startService()
  const file = (peers: readonly string[]) => `${home}peers:\n${peers.map((peer) => `  ${peer}\n`).join('')}`
  const peer = (name: string, key: number, ip: string, more = '') =>
    `${name}: { interface: home, ip: 10.8.0.${ip}, public_key: "${keyOf(key)}"${more} }`
  await applied(service, file([peer('a', 1, '2', ', networks: [10.50.0.0/16]'), peer('b', 2, '3'), peer('c', 3, '4')]))
  const done = doneOn(service)
  const idsOf = async () => {
    const { peers } = await done('GET', '/api/peers')
    return new Map(peers.map((each: { id: string; name: string; public_key: string }) => [each.public_key, each]))
  }
  const before = await idsOf()
  const round = [peer('b', 1, '3'), peer('c', 2, '4', ', networks: [10.50.0.0/16]'), peer('a', 3, '2')]
  assert.deepEqual(await applied(service, file(round)), [
    'change c to a ip',
    'change a to b ip,networks',
    'change b to c ip,networks',
  ])
  const after = await idsOf()
  for (const [key, held] of before as Map<string, { id: string }>)
    assert.equal((after.get(key) as { id: string }).id, held.id, 'it is the same peer')
  // A name in another case is a new name; what the service chose is left alone.
  assert.deepEqual(await applied(service, `${begin}peers:\n  A: { interface: home }\n`), ['change a to A'])
})

test('what the file does not have stays, and goes with prune; sections that it does not have are left alone', async () => {
  await using service = await startService()
  await applied(
    service,
    `${home}peers:
  phone: { interface: home }
  tv: { interface: home }
access_groups:
  Screens: { peers: [tv] }
access_rules:
  - { from: everybody, to: internet, action: allow }
  - { from: { group: Screens }, to: gateway, action: deny }
dns_rules:
  - { domain: Ads.example, action: block }
  - { domain: ads.example, action: block, client: TV }
dns_records:
  - { name: nas.example, type: A, value: 192.168.1.5 }
  - { name: nas.example, type: A, value: 192.168.1.6 }
  - { name: tv.example, type: CNAME, value: nas.example }
dns_zones:
  Corp.example: { servers: [udp://10.0.0.53] }
`,
  )
  const next = `${begin}peers:
  phone: { interface: home, tags: [kids] }
access_groups: {}
access_rules:
  - { from: everybody, to: internet, protocol: tcp, ports: ['443'], action: allow }
  - { from: everybody, to: internet, action: deny, note: all else }
dns_records:
  - { name: NAS.example, type: A, value: 192.168.1.7 }
`
  const trial = await apply(service, next, { dry_run: true })
  const staying = trial.body.data.not_in_file.map(({ noun, name }: Record<string, string>) => `${noun} ${name}`)
  assert.deepEqual(staying, [
    'peer tv',
    'group Screens',
    'access rule group Screens → gateway',
    'record tv.example CNAME nas.example',
  ])
  // All records of a name and type are those of the file; a changed rule stays the rule it was.
  assert.deepEqual(await applied(service, next), [
    'change phone tags',
    'create everybody → internet tcp 443',
    'change everybody → internet action,note',
    'delete nas.example A 192.168.1.5',
    'delete nas.example A 192.168.1.6',
    'create nas.example A 192.168.1.7',
  ])
  const rules = async () =>
    (await doneOn(service)('GET', '/api/access/rules')).map((rule: { to: { kind: string }; ports: string[] }) =>
      [rule.to.kind, ...rule.ports].join(' '),
    )
  assert.deepEqual(await rules(), ['internet 443', 'internet', 'gateway'])
  assert.deepEqual(await applied(service, next, { prune: true }), [
    'delete tv',
    'delete Screens',
    'delete group Screens → gateway',
    'delete ads.example for tv',
    'delete tv.example CNAME nas.example',
  ])
  assert.equal((await doneOn(service)('GET', '/api/dns/zones')).length, 1)
})

test('everything that is wrong is said at once, with its line, and nothing is changed', async () => {
  await using service = await startService()
  const text = `${home}  home2: { address: 10.8.0.1/16 }
peers:
  phone: { interface: home, ip: 10.9.0.2, routing_mode: custom }
  tv: { interface: home, ip: 10.8.0.3 }
  tv2: { interface: home, ip: 10.8.0.3 }
dns_records:
  - { name: a.example, type: A, value: nowhere }
dns_zones:
  corp.example: { servers: [udp://nowhere] }
`
  const found = problems(await apply(service, text))
  assert.match(found[0] ?? '', /^4 interfaces\.home2\.address .*overlap/i)
  assert.match(found.join('\n'), /^10 dns_records\.0\.value must be an IPv4 address/m)
  assert.match(found.join('\n'), /^12 dns_zones\.corp\.example\.servers\.0 /m)
  const peers = problems(await apply(service, text.replace('10.8.0.1/16', '10.70.0.1/16')))
  assert.match(peers.join('\n'), /^6 peers\.phone\.ip must be a free host address/m)
  assert.match(peers.join('\n'), /^8 peers\.tv2\.ip The address 10\.8\.0\.3 belongs to tv/m)
  assert.equal((await doneOn(service)('GET', '/api/interfaces')).length, 0)
  const missing = `${begin}peers:\n  a: { interface: nope, blocklists: [None] }\naccess_rules:\n  - { from: { group: G }, to: { peer: P }, action: deny }\ndns_rules:\n  - { domain: x.example, action: block, client: Q }\naccess_defaults: { wg9: deny }\n`
  assert.deepEqual(problems(await apply(service, missing)), [
    '3 peers.a.interface is no interface',
    '3 peers.a.blocklists.0 is no list',
    '5 access_rules.0.from is no group',
    '5 access_rules.0.to is no peer',
    '7 dns_rules.0.client is no peer',
    '8 access_defaults.wg9 is no interface',
  ])
})

test('an interface comes back with its own key, or with a new one when that is wanted', async () => {
  await using service = await startService()
  const text = `${begin}interfaces:\n  home: { address: 10.8.0.1/24, public_key: "${keyOf(9)}" }\n`
  assert.match(problems(await apply(service, text)).join(), /public_key cannot come back without its private key/)
  const created = await apply(service, text, { new_keys: true })
  assert.equal(created.status, 200, created.text)
  assert.match(problems(await apply(service, text)).join(), /public_key is another one than the interface has here/)
  const sealed = text.replace(' }', ', private_key: v1.AAAA.AAAA }')
  assert.deepEqual(problems(await apply(service, sealed)), [
    '3 interfaces.home.private_key needs the member secrets of its file',
  ])
})

test('a plan that is another by now is not done', async () => {
  await using service = await startService()
  const { plan } = (await apply(service, home, { dry_run: true })).body.data
  await doneOn(service)('PUT', '/api/settings', { default_mtu: 1400 })
  assert.equal((await apply(service, home, { expected_plan: plan })).status, 200)
  const late = await apply(service, home, { expected_plan: plan })
  assert.equal(late.status, 409)
  assert.match(late.body.message, /Something was changed meanwhile/)
})

test('a read-only token exports without secrets, and nothing else', async () => {
  await using service = await startService()
  const token = await service.token(await service.signIn('admin', 'tall-giraffe-on-ice-7'), 'read-only')
  assert.equal((await service.send('GET', '/api/export', { token })).status, 200)
  const body = { passphrase: 'twelve green bottles' }
  assert.equal((await service.send('POST', '/api/export', { token, body })).status, 403)
  assert.equal((await service.send('POST', '/api/apply', { token, body: { text: begin, dry_run: true } })).status, 403)
  await service.addUser('reader', 'user')
  const reader = await service.signIn('reader', 'tall-giraffe-on-ice-7')
  assert.equal((await reader.send('GET', '/api/export')).status, 403)
})

test('an export of private keys stands in the security log, one without does not', async () => {
  await using service = await startService()
  const admin = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  await admin.send('GET', '/api/export')
  assert.equal((await admin.send('POST', '/api/export', { body: { passphrase: 'twelve green bottles' } })).status, 200)
  assert.equal((await admin.send('POST', '/api/export', { body: { passphrase: 'short' } })).status, 422)
  const { data } = (await admin.send('GET', '/api/security-log?search=admin')).body
  const exported = data.filter((event: Record<string, unknown>) => event['kind'] === 'keys_exported')
  assert.deepEqual(
    exported.map((event: Record<string, unknown>) => event['username']),
    ['admin'],
  )
})

test('profiles are brought to what they are assigned to, whatever they had; what cannot be is named with its line', async () => {
  await using service = await startService()
  const peers = `peers:\n  phone: { interface: home, public_key: "${keyOf(1)}" }\n`
  const file = (profiles: string) => `${home}${peers}dns_profiles:\n${profiles}`
  const times = 'times: [{ days: [fri], from: "20:00", to: "07:00" }]'
  const first = `  Day: { peers: [phone], services: [youtube] }\n  Night: { schedule: { ${times}, otherwise: Day } }\n`
  assert.deepEqual(await applied(service, file(first)), ['create home', 'create phone', 'create Day', 'create Night'])
  const second = `  Day: { schedule: { ${times}, otherwise: night } }\n  Night: { peers: [Phone], block_mode: refused }\n`
  assert.deepEqual(await applied(service, file(second)), [
    'change Day services,schedule,peers',
    'change Night block_mode,schedule,peers',
  ])
  assert.deepEqual(await applied(service, file('  Night: { peers: [phone] }\n'), { prune: true }), [
    'delete Day',
    'change Night block_mode',
  ])
  const twice = '  A: { peers: [phone] }\n  B: { peers: [phone], schedule: { times: [], otherwise: C } }\n'
  assert.deepEqual(problems(await apply(service, file(twice))).length, 1)
  const missing = `  A: { peers: [phone], lists: [none] }\n  B: { schedule: { ${times}, otherwise: C } }\n`
  assert.deepEqual(problems(await apply(service, file(missing))), [
    '7 dns_profiles.A.lists.0 is no list',
    '8 dns_profiles.B.schedule.otherwise is no profile',
  ])
  const both = '  A: { peers: [phone] }\n  B: { peers: [Phone] }\n'
  assert.deepEqual(problems(await apply(service, file(both))), [
    '8 dns_profiles.B.peers.0 has the profile A in this file already',
  ])
  const many = `  A: { groups: [${Array.from({ length: 201 }, (_, index) => `g${index}`).join(', ')}] }\n`
  assert.match(problems(await apply(service, file(many))).join(), /^7 dns_profiles\.A\.groups must/)
  const round = `  A: { schedule: { ${times}, otherwise: B } }\n  B: { schedule: { ${times}, otherwise: A } }\n`
  assert.deepEqual(problems(await apply(service, file(round))), [
    '8 dns_profiles.B.schedule.otherwise leads back to this profile',
  ])
})
