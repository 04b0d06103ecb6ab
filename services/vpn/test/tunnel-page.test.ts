import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { laptopAddress, phoneAddress, startTunnelPage } from './tunnel-page-fixture.ts'

type Page = Awaited<ReturnType<typeof startTunnelPage>>

const block = (page: Page, domain: string, more: object = {}) =>
  page.call('POST', '/api/dns/rules', { action: 'block', domain, ...more })
const requests = async (page: Page) => (await page.call('GET', '/api/dns/requests')).data
const asks = (page: Page, domain: string, note = '') =>
  page.visit(phoneAddress, { path: '/ask', form: { domain, note } })

/** The page of Phone, once the log says that. */
const pageWith = (page: Page, pattern: RegExp) =>
  eventually(
    async () => (await page.visit(phoneAddress)).text,
    (text) => pattern.test(text),
    { what: `a page with ${pattern.source}` },
  )

test('a person sees what was blocked, asks, and sees the answer; another device sees nothing of it', async () => {
  await using page = await startTunnelPage()
  await block(page, 'ads.example')
  assert.equal(await page.looksUp('ads.example'), 'blocked')
  assert.equal(await page.looksUp('ads.example'), 'blocked')
  const text = await pageWith(page, /ads\.example/)
  assert.match(text, /2 times, last less than a minute ago; by a rule for everyone/)
  assert.match(text, /<h1>Phone<\/h1>[^]*phone\.vpn[^]*10\.8\.0\.2/)
  assert.match(text, /Today<\/dt><dd>0 bytes received, 0 bytes sent/)
  const note = '<script>alert("x")</script>\u202e & more'
  const asked = await asks(page, 'https://Ads.example/path', note)
  assert.equal(asked.status, 303)
  assert.equal(asked.headers['location'], '/?done=asked')
  const waiting = await page.visit(phoneAddress, { path: '/?done=asked' })
  assert.match(waiting.text, /Your request is sent[^]*You have asked for it[^]*Waiting for an answer/)
  assert.ok(waiting.text.includes('You: &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more'))
  assert.doesNotMatch((await page.visit(laptopAddress)).text, /ads\.example|script/)
  const [request] = await requests(page)
  assert.deepEqual(
    [request.peer, request.domain, request.status, request.note, request.reason],
    ['Phone', 'ads.example', 'open', '<script>alert("x")</script> & more', 'Rule for everyone: ads.example'],
  )
  assert.equal((await page.call('GET', '/api/dns/request-count')).data.open, 1)
  const path = `/api/dns/requests/${request.id}/answer`
  const { message } = await page.call('POST', path, { allow_for: 'peer', answer: 'Have <fun>' })
  assert.equal(message, 'ads.example allowed for Phone')
  assert.equal(await page.looksUp('ads.example'), 'open')
  assert.match((await page.visit(phoneAddress)).text, /Allowed[^]*Answer: Have &lt;fun&gt;/)
  assert.equal((await page.service.call('POST', path, { allow_for: null })).status, 409, 'one answer counts')
  const other = await page.call('GET', '/api/dns/explain?domain=ads.example&client=Laptop')
  assert.equal(other.data.status, 'blocked')
  await page.call('DELETE', `/api/dns/requests/${request.id}`)
  assert.deepEqual(await requests(page), [])
})

test('a request is answered for everyone, for the profile that holds, or with no', async () => {
  await using page = await startTunnelPage()
  const profile = { name: 'Kids', services: ['tiktok'], rules: [{ action: 'block', domain: 'play.example' }] }
  const { id: kids } = (await page.call('POST', '/api/dns/profiles', { ...profile, peer_ids: [page.phone] })).data
  await block(page, 'one.example')
  for (const domain of ['one.example', 'play.example', 'tiktok.com'])
    assert.equal((await asks(page, domain)).status, 303)
  const byName = new Map<string, string>(
    (await requests(page)).map(({ domain, id }: Record<string, string>) => [domain, id]),
  )
  const answer = (domain: string, body: object) =>
    page.call('POST', `/api/dns/requests/${byName.get(domain)}/answer`, body)
  assert.equal((await requests(page))[0].profile.name, 'Kids')
  await answer('one.example', { allow_for: 'everyone' })
  assert.equal((await page.call('GET', '/api/dns/explain?domain=one.example&client=Laptop')).data.status, 'allowed')
  assert.equal((await page.call('GET', '/api/dns/rules')).data.length, 1, 'the rule that blocked it gave way')
  await answer('play.example', { allow_for: 'profile' })
  assert.deepEqual((await page.call('GET', `/api/dns/profiles/${kids}`)).data.rules, [
    { action: 'allow', domain: 'play.example' },
  ])
  assert.equal(await page.looksUp('play.example'), 'open')
  const still = await answer('tiktok.com', { allow_for: 'everyone' })
  assert.match(still.message, /tiktok\.com allowed, but still blocked for Phone: Service that the profile Kids/)
  assert.equal((await asks(page, 'tiktok.com')).status, 303, 'it can be asked for again')
  const [again] = await requests(page)
  await page.call('POST', `/api/dns/requests/${again.id}/answer`, { allow_for: null, answer: 'Not before Friday' })
  assert.match((await page.visit(phoneAddress)).text, /Not allowed[^]*Answer: Not before Friday/)
  const laptop = await page.visit(laptopAddress, { path: '/ask', form: { domain: 'two.example' } })
  assert.match(laptop.text, /two\.example is not blocked for this device/)
  await block(page, 'two.example')
  assert.equal((await page.visit(laptopAddress, { path: '/ask', form: { domain: 'two.example' } })).status, 303)
  const open = (await page.call('GET', '/api/dns/requests?status=open')).data
  const refused = await page.service.call('POST', `/api/dns/requests/${open[0].id}/answer`, { allow_for: 'profile' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /no profile holds for Laptop now/)
})

test('requests have bounds: twice the same, no name, 20 of a device, 1,000 in all; old ones go', async () => {
  await using page = await startTunnelPage()
  await block(page, 'example')
  const { query } = await openDatabase(page)
  assert.equal((await asks(page, 'a.example')).status, 303)
  assert.match((await asks(page, 'A.example')).text, /You have asked for a\.example already/)
  for (const wrong of ['', '*.b.example', 'no name', `${'a'.repeat(64)}.example`]) {
    const reply = await asks(page, wrong)
    assert.equal(reply.status, 422)
    assert.match(reply.text, /The name must be a name such as example\.com/)
  }
  assert.match((await asks(page, 'c.example', 'x'.repeat(201))).text, /must be at most 200 characters long/)
  const row = (index: number, more: object) => ({
    id: crypto.randomUUID(),
    peer_id: page.phone,
    domain: `d${index}.example`,
    reason: '',
    note: '',
    created_at: Date.now(),
    status: 'open' as const,
    allowed_for: null,
    answer: '',
    answered_at: null,
    answered_by: null,
    ...more,
  })
  const insert = async (rows: readonly ReturnType<typeof row>[]) => {
    await query
      .insertInto('name_requests')
      .values([...rows])
      .execute()
  }
  await insert(Array.from({ length: 19 }, (_, index) => row(index, {})))
  assert.match((await asks(page, 'e.example')).text, /20 requests of this device wait for an answer/)
  await query.deleteFrom('name_requests').execute()
  const day = 86_400_000
  const answered = { status: 'refused' as const, answered_at: Date.now() - 29 * day, peer_id: page.laptop }
  await insert([row(0, { ...answered, answered_at: Date.now() - 31 * day })])
  for (let part = 0; part < 10; part += 1)
    await insert(Array.from({ length: 100 }, (_, index) => row(part * 100 + index, answered)))
  assert.equal((await asks(page, 'f.example')).status, 303)
  assert.equal((await page.call('GET', '/api/dns/requests')).total, 1000, 'the oldest answers made room')
  await query.updateTable('name_requests').set({ status: 'open', peer_id: page.laptop }).execute()
  assert.match((await asks(page, 'g.example')).text, /Too many requests wait for an answer/)
})

test('a device pauses its own filter as far as its profile lets it, and blocks again when it wants or when the time is over', async () => {
  await using page = await startTunnelPage()
  await block(page, 'ads.example')
  const pause = (minutes: string) => page.visit(phoneAddress, { path: '/pause', form: { minutes } })
  assert.doesNotMatch((await page.visit(phoneAddress)).text, /Pause it for/)
  assert.match((await pause('5')).text, /You may not pause the filter of this device/)
  await page.call('PUT', '/api/settings', { tunnel_page_pause_minutes: 15 })
  assert.match((await page.visit(phoneAddress)).text, /5 minutes<\/button><button[^>]*>15 minutes<\/button><\/div>/)
  for (const minutes of ['60', '0', '-5', '1e9', 'x']) assert.equal((await pause(minutes)).status, 422)
  assert.equal((await pause('15')).status, 303)
  assert.match(
    (await page.visit(phoneAddress)).text,
    /The filter of this device is paused<\/strong> for 15 minutes more/,
  )
  assert.equal(await page.looksUp('ads.example'), 'open')
  const laptop = await page.call('GET', '/api/dns/explain?domain=ads.example&client=Laptop')
  assert.equal(laptop.data.status, 'blocked', 'the pause is of one device')
  assert.equal((await page.visit(phoneAddress, { path: '/resume', body: '' })).status, 303)
  assert.equal(await page.looksUp('ads.example'), 'blocked')

  const { id } = (await page.call('POST', '/api/dns/profiles', { name: 'Kids', peer_ids: [page.phone] })).data
  assert.match((await pause('5')).text, /You may not pause/, 'the profile counts, not the settings')
  await page.call('PUT', `/api/dns/profiles/${id}`, { self_pause_minutes: 3 })
  assert.match((await page.visit(phoneAddress)).text, /Your profile is Kids[^]*value="3">3 minutes/)
  const soon = new Date(Date.now() + 120_000)
  const clock = (at: Date) => at.toISOString().slice(11, 16)
  const night = { name: 'Night', peer_ids: [] }
  const { id: nightId } = (await page.call('POST', '/api/dns/profiles', night)).data
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const times = [{ days, from: clock(new Date(soon.getTime() + 3_600_000)), to: clock(soon) }]
  await page.call('PUT', `/api/dns/profiles/${id}`, { schedule: { time_zone: 'UTC', times, otherwise: nightId } })
  assert.equal((await pause('3')).status, 303)
  assert.match(
    (await page.visit(phoneAddress)).text,
    /is paused<\/strong> for [12] minutes? more/,
    'not into the night',
  )
  const { query } = await openDatabase(page)
  assert.equal((await query.selectFrom('peer_filter_pauses').selectAll().execute()).length, 1)
})

test('an administrator sees that a device paused its filter and ends it; the device sees that it ended', async () => {
  await using page = await startTunnelPage()
  await block(page, 'ads.example')
  await page.call('PUT', '/api/settings', { tunnel_page_pause_minutes: 15 })
  const pauses = async () => (await page.call('GET', '/api/dns/peer-pauses')).data
  assert.deepEqual(await pauses(), [])
  const began = Date.now()
  assert.equal((await page.visit(phoneAddress, { path: '/pause', form: { minutes: '15' } })).status, 303)
  const [pause] = await pauses()
  assert.deepEqual(pause.peer, { id: page.phone, name: 'Phone' })
  const left = Date.parse(pause.paused_until) - began
  assert.ok(left >= 15 * 60_000 && left < 16 * 60_000, `${left} ms`)
  assert.equal(await page.looksUp('ads.example'), 'open')
  const { message } = await page.call('DELETE', `/api/dns/peer-pauses/${page.phone}`)
  assert.equal(message, 'The filter of Phone is on again')
  assert.deepEqual(await pauses(), [])
  assert.equal(await page.looksUp('ads.example'), 'blocked')
  const text = (await page.visit(phoneAddress)).text
  assert.match(text, /The filter is on\.[^]*Your pause was ended less than a minute ago\./)
  assert.doesNotMatch((await page.visit(laptopAddress)).text, /Your pause was ended/)
  const again = await page.service.call('DELETE', `/api/dns/peer-pauses/${page.phone}`)
  assert.equal(again.status, 404, 'there is none any more')
  assert.equal((await page.visit(phoneAddress, { path: '/pause', form: { minutes: '5' } })).status, 303)
  assert.doesNotMatch((await page.visit(phoneAddress)).text, /Your pause was ended/)
  assert.equal((await page.visit(phoneAddress, { path: '/resume', body: '' })).status, 303)
  assert.doesNotMatch((await page.visit(phoneAddress)).text, /Your pause was ended/, 'the device ended it itself')
  await page.call('DELETE', `/api/peers/${page.phone}`)
  assert.deepEqual(await pauses(), [])
})

test('only the device itself is answered, and only forms of the page change anything', async () => {
  await using page = await startTunnelPage()
  for (const from of ['10.8.0.1', '10.8.0.99', '192.0.2.7', '::1', 'fd00::2', '10.8.0.2.evil']) {
    const reply = await page.visit(from)
    assert.equal(reply.status, 403, from)
    assert.match(reply.text, /This device is not known/)
  }
  const cookieless = await page.visit(phoneAddress)
  assert.equal(cookieless.headers['set-cookie'], undefined)
  assert.match(String(cookieless.headers['content-security-policy']), /^default-src 'none'; style-src 'self';/)
  assert.ok(Buffer.byteLength(cookieless.text) < 60_000)
  const ask = { path: '/ask', form: { domain: 'ads.example' } }
  for (const headers of [{ origin: 'null' }, { origin: 'http://evil.example' }, { origin: 'http://10.8.0.1:8080' }])
    assert.equal((await page.visit(phoneAddress, { ...ask, headers })).status, 403)
  assert.equal((await page.visit(phoneAddress, { headers: { host: 'evil.example' } })).status, 421)
  assert.equal((await page.visit(phoneAddress, { ...ask, headers: { 'content-type': 'text/plain' } })).status, 415)
  assert.equal((await page.visit(phoneAddress, { path: '/ask', body: `note=${'x'.repeat(9000)}` })).status, 413)
  assert.equal((await page.visit(phoneAddress, { path: '/constructor', body: 'x' })).status, 404)
  for (const method of ['PUT', 'DELETE', 'OPTIONS'])
    assert.equal((await page.visit(phoneAddress, { method })).status, 405)
  for (const path of ['/../etc/passwd', '//evil', '/api/settings', '/?done=constructor', '/%00'])
    assert.ok([200, 404].includes((await page.visit(phoneAddress, { path })).status), path)
  await page.call('PUT', `/api/peers/${page.phone}`, { enabled: false })
  assert.equal((await page.visit(phoneAddress)).status, 403, 'a disabled peer is none')
})

test('a peer that is called like the id of another sees nothing of what it looked up', async () => {
  await using page = await startTunnelPage()
  await block(page, 'secret.example')
  await page.looksUp('secret.example')
  await pageWith(page, /secret\.example/)
  await page.call('PUT', `/api/peers/${page.laptop}`, { name: page.phone })
  assert.doesNotMatch((await page.visit(laptopAddress)).text, /secret\.example/)
  await page.call('PUT', `/api/peers/${page.phone}`, { name: page.laptop })
  assert.doesNotMatch((await page.visit(laptopAddress)).text, /secret\.example/)
  assert.match((await page.visit(phoneAddress)).text, /secret\.example/)
  await page.call('PUT', `/api/peers/${page.phone}`, { dns_logging_enabled: false })
  assert.match((await page.visit(phoneAddress)).text, /What this device looks up is not recorded/)
})

test('one device may send ten forms a minute, and takes nothing from another', async () => {
  await using page = await startTunnelPage()
  const statuses: number[] = []
  for (let index = 0; index < 11; index += 1) statuses.push((await asks(page, '')).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 422), 429])
  const refused = await asks(page, '')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await page.visit(phoneAddress)).status, 200, 'reading goes on')
  assert.equal((await page.visit(laptopAddress, { path: '/ask', form: { domain: '' } })).status, 422)
})

test('without tunnels the service says that there is no page, and a peer called My keeps off its name', async () => {
  await using page = await startTunnelPage()
  await page.call('PUT', '/api/settings', { tunnel_page_enabled: true })
  const { data } = await page.call('GET', '/api/tunnel-page')
  assert.deepEqual([data.enabled, data.places], [true, []])
  assert.match(data.unavailable, /WireGuard is simulated/)
  const { id } = (await page.call('POST', '/api/peers', { name: 'My', interface: 'wg0' })).data
  await eventually(
    () => page.call('GET', `/api/dns/peer-names/${id}`),
    (found) => found.data.name === 'my-2.vpn',
    { what: 'a name for the peer' },
  )
})

async function openDatabase({ service }: Page) {
  return { query: service.service.app.database.query }
}
