import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import { eventually, freePort } from '@hearth/testing'
import { ask } from './dns-client.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService, testPassword } from './in-process.ts'

/** A service whose questions on loopback are those of the peer Phone; for others its explanation is asked. */
async function start() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startFakeNameserver())
  const port = await freePort()
  const service = cleanup.use(
    await startService({
      DNS_LISTEN: `127.0.0.1:${port}`,
      DNS_LISTEN_CLIENT: 'Phone',
      DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    }),
  )
  const call = async (method: string, path: string, body?: object) => {
    const reply = await service.call(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    return reply.body
  }
  await call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  await call('POST', '/api/interfaces', { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_821 })
  const peer = async (name: string, more: object = {}) =>
    (await call('POST', '/api/peers', { name, interface: 'wg0', ...more })).data.id as string
  const kept = cleanup.move()
  return {
    service,
    call,
    peer,
    profile: async (name: string, more: object) =>
      (await call('POST', '/api/dns/profiles', { name, ...more })).data.id as string,
    /** What a peer gets for a name: `blocked`, `open`, or the response code. */
    async asks(client: string, name: string) {
      const said = (await call('GET', `/api/dns/explain?domain=${name}&client=${client}`)).data.status
      const explained = said === 'blocked' ? 'blocked' : 'open'
      if (client !== 'Phone') return explained
      const answer = await ask(port, { name, payload: 1232, timeoutMs: 5000 })
      if (answer === undefined) throw new Error(`no answer for ${name}`)
      const isBlocked = answer.rcode !== 0 || answer.addresses[0] === '0.0.0.0'
      assert.equal(isBlocked ? 'blocked' : 'open', explained, 'the explanation says what the answer is')
      return answer.rcode === 0 ? explained : answer.rcode
    },
    /** The answer to Phone: the names it leads to, and the addresses. */
    async answer(name: string) {
      const resolver = new Resolver({ timeout: 5000, tries: 3 })
      resolver.setServers([`127.0.0.1:${port}`])
      /** No data is no names. */
      const found = async (answer: Promise<string[]>) => {
        try {
          return await answer
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENODATA') return []
          throw error
        }
      }
      return {
        addresses: await found(resolver.resolve4(name)),
        targets: await found(resolver.resolveCname(name)),
      }
    },
    explain: async (domain: string, client: string) =>
      (await call('GET', `/api/dns/explain?domain=${domain}&client=${client}`)).data,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const allWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

test('rules and services of a profile hold for its device, between the rules for the device and those for everyone', async () => {
  await using it = await start()
  const id = await it.peer('Phone')
  await it.peer('Laptop')
  await it.call('POST', '/api/dns/rules', { action: 'allow', domain: 'games.example' })
  assert.equal(await it.asks('Phone', 'www.games.example'), 'open')
  const kids = await it.profile('Kids', {
    rules: [
      { action: 'block', domain: 'games.example' },
      { action: 'allow', domain: 'music.youtube.com' },
    ],
    services: ['youtube'],
    peer_ids: [id],
  })
  assert.equal(await it.asks('Phone', 'www.games.example'), 'blocked')
  assert.equal(await it.asks('Phone', 'www.youtube.com'), 'blocked')
  assert.equal(await it.asks('Phone', 'music.youtube.com'), 'open')
  assert.equal(await it.asks('Laptop', 'www.youtube.com'), 'open')
  const explained = await it.explain('www.youtube.com', 'Phone')
  assert.partialDeepStrictEqual(explained, {
    status: 'blocked',
    reason: 'rule',
    decided_by: 'Service that the profile Kids switches off: YouTube',
    profile: { assigned: { id: kids, name: 'Kids' }, by: 'peer', because: 'Phone is in the profile Kids' },
    flip: 'Allow www.youtube.com for Phone',
  })
  assert.partialDeepStrictEqual(explained.matches[0], { scope: 'profile', text: 'YouTube', id: null, deciding: true })
  assert.equal((await it.explain('www.youtube.com', 'Laptop')).profile, null)
  const logged = await eventually(
    async () => (await it.call('GET', '/api/dns/queries?domain=www.youtube.com&status=blocked')).data,
    (rows) => rows.length > 0,
    { everyMs: 700 },
  )
  assert.partialDeepStrictEqual(logged[0], { client: 'Phone', reason: 'rule', rule: 'YouTube' })
  // The rule for the device itself comes first.
  await it.call('POST', '/api/dns/rules', { action: 'allow', domain: 'youtube.com', client: 'Phone' })
  assert.equal(await it.asks('Phone', 'www.youtube.com'), 'open')
  await it.call('PUT', `/api/dns/profiles/${kids}`, { rules: [], block_mode: 'nxdomain', services: ['tiktok'] })
  assert.equal(await it.asks('Phone', 'www.games.example'), 'open')
  assert.equal(await it.asks('Phone', 'www.tiktok.com'), 3)
  const gone = await it.call('DELETE', `/api/dns/profiles/${kids}`)
  assert.equal(gone.message, 'Profile Kids deleted')
  assert.equal(await it.asks('Phone', 'www.tiktok.com'), 'open')
})

test('safe search and restricted YouTube hold for the devices of a profile, by the names of the engines themselves', async () => {
  await using it = await start()
  const id = await it.peer('Phone')
  await it.peer('Laptop')
  const kids = await it.profile('Kids', { safe_search: true, peer_ids: [id] })
  const target = async (name: string) => (await it.answer(name)).targets
  assert.deepEqual(await target('www.google.de'), ['forcesafesearch.google.com'])
  assert.deepEqual(await target('WWW.Bing.com'), ['strict.bing.com'])
  assert.deepEqual(await target('mail.google.de'), [])
  assert.deepEqual(await target('a.www.google.de'), [])
  assert.deepEqual(await target('www.youtube.com'), [])
  assert.deepEqual(
    (await it.answer('www.google.de')).addresses,
    (await it.answer('forcesafesearch.google.com')).addresses,
    'the address is that of the safe name',
  )
  const explained = await it.explain('www.google.de', 'Phone')
  assert.partialDeepStrictEqual(explained, {
    status: 'allowed',
    reason: 'local',
    decided_by: 'Safe search of the profile: www.google.de',
  })
  assert.partialDeepStrictEqual(explained.matches[0], { kind: 'record', scope: 'profile', deciding: true })
  assert.equal((await it.explain('www.google.de', 'Laptop')).decided_by?.includes('Safe search') ?? false, false)
  for (const [youtube, name] of [
    ['moderate', 'restrictmoderate.youtube.com'],
    ['strict', 'restrict.youtube.com'],
  ]) {
    const { data } = await it.call('PUT', `/api/dns/profiles/${kids}`, { youtube })
    assert.deepEqual([data.safe_search, data.youtube], [true, youtube])
    assert.deepEqual(await target('m.youtube.com'), [name])
  }
  // What the operator says of a name comes first, and a name that is blocked is blocked.
  await it.call('POST', '/api/dns/records', { name: 'duckduckgo.com', type: 'A', value: '192.168.1.5' })
  assert.deepEqual((await it.answer('duckduckgo.com')).addresses, ['192.168.1.5'])
  await it.call('PUT', `/api/dns/profiles/${kids}`, { services: ['youtube'] })
  assert.equal(await it.asks('Phone', 'm.youtube.com'), 'blocked')
  await it.call('POST', `/api/dns/profiles/${kids}/pause`, { seconds: 60 })
  assert.deepEqual(await target('www.google.de'), [], 'nothing is filtered in a pause')
})

test('the most exact assignment counts: the device, then a group, then the interface', async () => {
  await using it = await start()
  const phone = await it.peer('Phone')
  const rule = (domain: string) => ({ rules: [{ action: 'block', domain }] })
  const names = ['one.example', 'two.example', 'three.example', 'four.example']
  const blocked = async (source = 'Phone') => {
    const found = []
    for (const name of names) if ((await it.asks(source, name)) === 'blocked') found.push(name.split('.')[0])
    return found.join()
  }
  await it.profile('Interface', { ...rule('one.example'), interfaces: ['wg0'] })
  assert.equal(await blocked(), 'one')
  const later = await it.peer('Later')
  assert.equal(await blocked('Later'), 'one')
  await it.peer('Elsewhere', { interface: 'wg1' })
  assert.equal(await blocked('Elsewhere'), '')
  const group = (await it.call('POST', '/api/access/groups', { name: 'Children', tags: ['child'] })).data.id
  const second = (await it.call('POST', '/api/access/groups', { name: 'Adults', peer_ids: [phone] })).data.id
  await it.profile('Group', { ...rule('two.example'), group_ids: [group] })
  assert.equal(await blocked(), 'one')
  await it.call('PUT', `/api/peers/${phone}`, { tags: ['Child'] })
  assert.equal(await blocked(), 'two')
  // Of two groups the profile that comes first by name.
  const first = await it.profile('A group', { ...rule('four.example'), group_ids: [second] })
  assert.equal(await blocked(), 'four')
  await it.call('PUT', `/api/access/groups/${second}`, { peer_ids: [later] })
  assert.deepEqual([await blocked(), await blocked('Later')], ['two', 'four'])
  await it.call('DELETE', `/api/access/groups/${second}`)
  assert.equal(await blocked('Later'), 'one')
  assert.deepEqual((await it.call('GET', `/api/dns/profiles/${first}`)).data.groups, [])
  const own = await it.profile('Own', { ...rule('three.example') })
  const chosen = await it.call('PUT', `/api/dns/peer-profiles/${phone}`, { profile_id: own })
  assert.equal(chosen.message, 'The device is in the profile Own')
  assert.equal(await blocked(), 'three')
  const back = await it.call('PUT', `/api/dns/peer-profiles/${phone}`, { profile_id: null })
  assert.deepEqual([back.data.assigned.name, back.data.by, back.data.via], ['Group', 'group', 'Children'])
  assert.equal(await blocked(), 'two')
  assert.equal(
    (await it.explain('x.example', 'Phone')).profile.because,
    'Phone is in the profile Group by its group Children',
  )
  // A device has one profile: the next one takes it.
  await it.call('PUT', `/api/dns/profiles/${own}`, { peer_ids: [phone] })
  await it.call('PUT', `/api/dns/profiles/${first}`, { peer_ids: [phone] })
  assert.deepEqual((await it.call('GET', `/api/dns/profiles/${own}`)).data.peers, [])
  assert.equal(await blocked(), 'four')
})

test('lists of a profile stand in the place of those of the device', async () => {
  await using it = await start()
  const id = await it.peer('Phone')
  const lists = (await it.call('GET', '/api/dns/blocklists')).data as { id: string }[]
  const profile = await it.profile('Few', { lists: [lists[0]!.id], peer_ids: [id] })
  assert.deepEqual((await it.call('GET', `/api/dns/profiles/${profile}`)).data.lists, [lists[0]!.id])
  const wrong = await it.service.call('PUT', `/api/dns/profiles/${profile}`, { lists: [lists[0]!.id, 'nowhere'] })
  assert.deepEqual([wrong.status, wrong.body.details.fields[0].path], [422, 'lists.1'])
})

test('a schedule says what holds now and what comes next; outside it another profile or none holds', async () => {
  await using it = await start()
  const id = await it.peer('Phone')
  const rule = (domain: string) => ({ rules: [{ action: 'block', domain }] })
  const free = await it.profile('Free time', rule('free.example'))
  // Times that hold now, and times that do not, whatever the hour: a day of minutes around this one.
  const clock = Temporal.Now.zonedDateTimeISO('UTC')
  const text = (time: Temporal.ZonedDateTime) => time.toPlainTime().toString({ smallestUnit: 'minute' })
  const around = { days: allWeek, from: text(clock.subtract({ hours: 2 })), to: text(clock.add({ hours: 2 })) }
  const later = { days: allWeek, from: text(clock.add({ hours: 2 })), to: text(clock.add({ hours: 4 })) }
  const schedule = (time: object, otherwise: string | null) => ({
    schedule: { time_zone: 'UTC', times: [time], otherwise },
  })
  const school = await it.profile('School', { ...rule('school.example'), ...schedule(around, free), peer_ids: [id] })
  assert.deepEqual(
    [await it.asks('Phone', 'school.example'), await it.asks('Phone', 'free.example')],
    ['blocked', 'open'],
  )
  const { state } = (await it.call('GET', `/api/dns/profiles/${school}`)).data
  assert.deepEqual([state.holds.name, state.next.profile.name], ['School', 'Free time'])
  assert.equal(
    Date.parse(state.next.at),
    clock.add({ hours: 2 }).round({ smallestUnit: 'minute', roundingMode: 'floor' }).epochMilliseconds,
  )
  await it.call('PUT', `/api/dns/profiles/${school}`, schedule(later, free))
  assert.deepEqual(
    [await it.asks('Phone', 'school.example'), await it.asks('Phone', 'free.example')],
    ['open', 'blocked'],
  )
  const explained = await it.explain('free.example', 'Phone')
  assert.deepEqual(
    [explained.decided_by, explained.profile.because],
    [
      'Rule of the profile Free time: free.example',
      'Phone is in the profile School; it is outside its times, so the profile Free time holds',
    ],
  )
  const refused = await it.service.call('DELETE', `/api/dns/profiles/${free}`)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [409, 'The schedule of School names the profile Free time; change that first'],
  )
  const circle = await it.service.call('PUT', `/api/dns/profiles/${free}`, schedule(later, school))
  assert.deepEqual([circle.status, circle.body.message], [422, 'schedule.otherwise leads back to this profile'])
  await it.call('PUT', `/api/dns/profiles/${school}`, schedule(later, null))
  assert.equal(await it.asks('Phone', 'free.example'), 'open')
  const ofPeer = (await it.call('GET', `/api/dns/peer-profiles/${id}`)).data
  assert.deepEqual([ofPeer.assigned.name, ofPeer.holds, ofPeer.next.profile.name], ['School', null, 'School'])
})

test('a pause of a profile is one for its devices alone, and ends', async () => {
  await using it = await start()
  const id = await it.peer('Phone')
  await it.peer('Tablet')
  await it.call('POST', '/api/dns/rules', { action: 'block', domain: 'ads.example' })
  const profile = await it.profile('Own', { peer_ids: [id] })
  await it.call('POST', `/api/dns/profiles/${profile}/pause`, { seconds: 600 })
  assert.deepEqual([await it.asks('Phone', 'ads.example'), await it.asks('Tablet', 'ads.example')], ['open', 'blocked'])
  const explained = await it.explain('ads.example', 'Phone')
  assert.deepEqual(
    [explained.reason, explained.decided_by, explained.flip],
    ['off', 'The profile Own is paused', 'End the pause of the profile Own'],
  )
  await it.call('POST', `/api/dns/profiles/${profile}/resume`)
  assert.equal(await it.asks('Phone', 'ads.example'), 'blocked')
  await it.call('POST', `/api/dns/profiles/${profile}/pause`, { seconds: 1 })
  await eventually(
    () => it.asks('Phone', 'ads.example'),
    (answer) => answer === 'blocked',
    { everyMs: 200 },
  )
})

test('what cannot be is refused at its member, and only administrators change profiles', async () => {
  await using it = await start()
  const time = { days: ['mon'], from: '08:00', to: '09:00' }
  const plan = (more: object) => ({ schedule: { time_zone: null, times: [time], otherwise: null, ...more } })
  for (const [body, path] of [
    [{ services: ['youtube', 'nothing'] }, 'services.1'],
    [{ rules: [{ action: 'block', domain: 'no name' }] }, 'rules.0.domain'],
    [
      {
        rules: [
          { action: 'block', domain: 'a.example' },
          { action: 'allow', domain: 'A.example.' },
        ],
      },
      'rules.1.domain',
    ],
    [plan({ time_zone: 'Mars/Base' }), 'schedule.time_zone'],
    [plan({ times: [time, { ...time, to: '08:00' }] }), 'schedule.times.1.to'],
    [plan({ otherwise: 'nobody' }), 'schedule.otherwise'],
    [{ peer_ids: ['nobody'] }, 'peer_ids.0'],
    [{ group_ids: ['nobody'] }, 'group_ids.0'],
    [{ interfaces: ['wg9'] }, 'interfaces.0'],
  ] as const) {
    const reply = await it.service.call('POST', '/api/dns/profiles', { name: 'New', ...body })
    assert.deepEqual([reply.status, reply.body.details?.fields?.[0]?.path], [422, path], reply.text)
  }
  assert.equal((await it.call('GET', '/api/dns/profiles')).total, 0)
  await it.profile('Kids', {})
  const twice = await it.service.call('POST', '/api/dns/profiles', { name: 'KIDS' })
  assert.deepEqual([twice.status, twice.body.message], [409, 'Another profile has this name'])
  const admin = await it.service.signIn('admin', testPassword)
  const token = await it.service.token(admin, 'read-only')
  assert.equal((await it.service.send('GET', '/api/dns/profiles', { token })).status, 200)
  assert.equal((await it.service.send('POST', '/api/dns/profiles', { token, body: { name: 'X' } })).status, 403)
  const services = (await it.call('GET', '/api/dns/services')).data as { id: string; names: string[] }[]
  assert.ok(services.length > 30)
  assert.ok(services.every(({ names }) => names.length > 0))
})

test('an interface that is deleted takes its profile along: a new one of the same name has none', async () => {
  await using it = await start()
  const profile = await it.profile('Work', { rules: [{ action: 'block', domain: 'one.example' }], interfaces: ['wg1'] })
  await it.peer('Old', { interface: 'wg1' })
  assert.equal(await it.asks('Old', 'one.example'), 'blocked')
  await it.call('DELETE', '/api/interfaces/wg1')
  await it.call('POST', '/api/interfaces', { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_821 })
  const id = await it.peer('New', { interface: 'wg1' })
  assert.deepEqual((await it.call('GET', `/api/dns/profiles/${profile}`)).data.interfaces, [])
  assert.equal((await it.call('GET', `/api/dns/peer-profiles/${id}`)).data.assigned, null)
  assert.equal(await it.asks('New', 'one.example'), 'open')
})
