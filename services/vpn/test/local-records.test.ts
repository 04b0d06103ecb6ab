import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { T } from './dns-messages.ts'
import { startAnsweringService } from './answering-service.ts'

const ptr = 12
const srv = 33

/** A service that answers on a port of loopback, and ways to change its records and to ask it. */
async function start() {
  const answering = await startAnsweringService({ 'pages.example': { a: '203.0.113.9' } })
  return {
    ...answering,
    add: (name: string, type: string, value: string, more: object = {}) =>
      answering.service.call('POST', '/api/dns/records', { name, type, value, ...more }),
  }
}

test('a local record answers the next query, also after a change, and is gone with its deletion', async () => {
  await using it = await start()
  const made = await it.add('NAS.Home.Example.', 'A', '192.168.1.5')
  assert.deepEqual([made.status, made.body.message], [201, 'nas.home.example has a new A record'])
  const { id, name, ttl, reverse } = made.body.data
  assert.deepEqual([name, ttl, reverse], ['nas.home.example', 300, true])
  const first = await it.ask('nas.home.example')
  assert.deepEqual([first.answers[0]?.data, first.answers[0]?.ttl], ['c0a80105', 300])
  assert.equal((await it.ask('5.1.168.192.in-addr.arpa', ptr)).answers[0]?.data, 'nas.home.example')
  await it.service.call('PUT', `/api/dns/records/${id}`, { value: '192.168.1.6', ttl: 60 })
  const second = await it.ask('nas.home.example')
  assert.deepEqual([second.answers[0]?.data, second.answers[0]?.ttl], ['c0a80106', 60])
  assert.equal((await it.ask('5.1.168.192.in-addr.arpa', ptr)).rcode, 3)
  await it.service.call('PUT', `/api/dns/records/${id}`, { reverse: false })
  assert.equal((await it.ask('6.1.168.192.in-addr.arpa', ptr)).rcode, 3)
  const removed = await it.service.call('DELETE', `/api/dns/records/${id}`)
  assert.equal(removed.body.message, 'Record of nas.home.example deleted')
  assert.notEqual((await it.ask('nas.home.example')).answers[0]?.data, 'c0a80106')
  assert.equal((await it.service.call('DELETE', `/api/dns/records/${id}`)).status, 404)
})

test('every type is answered as it was written', async () => {
  await using it = await start()
  for (const [name, type, value] of [
    ['nas.home', 'A', '192.168.1.5'],
    ['nas.home', 'A', '192.168.1.6'],
    ['nas.home', 'AAAA', 'fd00::5'],
    ['nas.home', 'TXT', 'the box'],
    ['home', 'MX', '10 nas.home'],
    ['_http._tcp.home', 'SRV', '0 5 80 nas.home'],
    ['*.apps.home', 'CNAME', 'nas.home'],
    ['blog.home', 'CNAME', 'pages.example'],
    ['192.168.1.6', 'PTR', 'second.home'],
  ] as const) {
    const reply = await it.add(name, type, value)
    assert.equal(reply.status, 201, reply.text)
  }
  const data = async (name: string, type: number) => (await it.ask(name, type)).answers.map((record) => record.data)
  assert.deepEqual(await data('nas.home', T.a), ['c0a80105', 'c0a80106'])
  assert.deepEqual(await data('nas.home', T.aaaa), [`fd00${'0'.repeat(26)}05`])
  assert.deepEqual(await data('nas.home', T.txt), [`07${Buffer.from('the box').toString('hex')}`])
  assert.deepEqual(await data('home', T.mx), ['000a036e617304686f6d6500'])
  assert.deepEqual(await data('_http._tcp.home', srv), ['000000050050036e617304686f6d6500'])
  assert.deepEqual(await data('wiki.apps.home', T.a), ['nas.home', 'c0a80105', 'c0a80106'])
  assert.deepEqual(await data('blog.home', T.a), ['pages.example', 'cb007109'])
  assert.deepEqual(await data('6.1.168.192.in-addr.arpa', ptr), ['second.home'])
  const none = await it.ask('nas.home', T.https)
  assert.deepEqual([none.rcode, none.answers.length, none.authorities[0]?.type], [0, 0, T.soa])
  const listed = await it.service.call('GET', '/api/dns/records?search=NAS')
  assert.equal(listed.body.total, 7)
  assert.equal((await it.service.call('GET', '/api/dns/records?type=TXT')).body.data[0].value, 'the box')
})

test('the explanation and the log say that it was a local record', async () => {
  await using it = await start()
  await it.add('*.home.example', 'A', '192.168.1.5')
  await it.ask('tv.home.example')
  const { data } = (await it.service.call('GET', '/api/dns/explain?domain=tv.home.example')).body
  assert.deepEqual(
    [data.status, data.reason, data.decided_by, data.matches[0].kind, data.matches[0].deciding],
    ['allowed', 'local', 'Local record: *.home.example', 'record', true],
  )
  const [entry] = await eventually(
    async () => ((await it.service.call('GET', '/api/dns/queries?reason=local')).body.data ?? []) as unknown[],
    (found) => found.length > 0,
    // Within the requests that one client may make a minute.
    { everyMs: 700 },
  )
  assert.partialDeepStrictEqual(entry, {
    domain: 'tv.home.example',
    status: 'allowed',
    rcode: 'NOERROR',
    upstream: null,
  })
})

test('what does not fit is refused with the part that is wrong', async () => {
  await using it = await start()
  await it.add('nas.home', 'A', '192.168.1.5')
  await it.add('www.home', 'CNAME', 'nas.home')
  for (const [name, type, value, path] of [
    ['not a name', 'A', '1.2.3.4', 'name'],
    ['x.home', 'A', '1.2.3', 'value'],
    ['x.home', 'NS', 'ns.home', 'type'],
  ] as const) {
    const reply = await it.add(name, type, value)
    assert.deepEqual([reply.status, reply.body.details.fields[0].path], [422, path])
  }
  assert.equal((await it.add('x.home', 'A', '1.2.3.4', { ttl: -1 })).body.details.fields[0].path, 'ttl')
  for (const [name, type, value, field] of [
    ['nas.home', 'A', '192.168.1.5', 'value'],
    ['nas.home', 'CNAME', 'x.home', 'type'],
    ['www.home', 'A', '192.168.1.5', 'name'],
  ] as const) {
    const reply = await it.add(name, type, value)
    assert.deepEqual([reply.status, reply.body.details.field], [409, field], reply.text)
  }
  const { id } = (await it.service.call('GET', '/api/dns/records?search=www')).body.data[0]
  const loop = await it.service.call('PUT', `/api/dns/records/${id}`, { value: 'www.home' })
  assert.match(loop.body.message, /www\.home leads back to www\.home/)
  const both = await Promise.all([it.add('twin.home', 'A', '10.0.0.1'), it.add('twin.home', 'CNAME', 'nas.home')])
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409],
  )
})

test('a text is imported whole or not at all', async () => {
  await using it = await start()
  await it.add('nas.home', 'A', '192.168.1.5')
  const load = (text: string, dry = false) =>
    it.service.call('POST', '/api/dns/records/import', { text, ...(dry ? { dry_run: true } : {}) })
  const wrong = '192.168.1.5 nas.home\ntv.home A 192.168.1.300\ncam.home A 192.168.1.7\ncam.home CNAME nas.home'
  const trial = (await load(wrong, true)).body.data
  assert.deepEqual(
    [trial.created, trial.existing, trial.faulty, trial.problems.map((each: { line: number }) => each.line)],
    [1, 1, 2, [2, 4]],
  )
  const refused = await load(wrong)
  assert.deepEqual([refused.status, refused.body.details.fields[0].path], [422, 'line 2.value'])
  assert.equal((await it.service.call('GET', '/api/dns/records')).body.total, 1)
  const lines = Array.from({ length: 9999 }, (_, n) => `10.1.${n >> 8}.${n & 255} host-${n}.home`)
  const whole = await load(lines.join('\n'))
  assert.match(whole.body.message, /^9999 records created/)
  await eventually(
    () => it.ask('host-9998.home'),
    ({ answers }) => answers[0]?.data === '0a01270e',
  )
  assert.equal((await it.ask('14.39.1.10.in-addr.arpa', ptr)).answers[0]?.data, 'host-9998.home')
  const full = await it.add('one.more', 'A', '1.2.3.4')
  assert.match(full.body.message, /10,000 records, no more fit/)
})
