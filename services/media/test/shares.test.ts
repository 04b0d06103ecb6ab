import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import type { ShareLink } from '../src/shares/schema.ts'
import { insertLink } from '../src/shares/store.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
}

describe('share links', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let video: Job

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    const [one, two] = [
      await media.submit(platform.page('sound.opus', { title: '<b>Beat</b> & "more"' })),
      await media.submit(platform.page('video.mp4', { id: 'video' }), { type: 'video' }),
    ]
    ;[sound, video] = await Promise.all([media.reach(one.id, 'analysis_done'), media.reach(two.id, 'done')])
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  const share = async (id: string) => (await media.json<ShareLink>('POST', `/api/share/${id}`)).body
  const list = async (id: string) => (await media.json<ShareLink[]>('GET', `/api/share/${id}`)).body
  const revoke = (id: string) => media.json('DELETE', `/api/share/${id}`)
  const set = (json: object) => media.call('POST', '/api/settings', { json })
  const pathOf = ({ url }: ShareLink) => new URL(url).pathname
  /** As somebody without cookies, at an address. */
  const redeem = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${media.url}${path}`, { method, headers: { 'x-forwarded-for': randomAddress(), ...headers } })
  let lastAddress = 0
  const randomAddress = () => `172.16.${(lastAddress += 1) >> 8}.${lastAddress & 255}`
  const usesOf = async (id: string) => (await list(id))[0]?.uses

  test('a link is created, and reused while it is equivalent to a new one', async () => {
    const first = await media.json<ShareLink>('POST', `/api/share/${sound.id}`)
    assert.equal(first.status, 200)
    const { url, ...rest } = first.body
    assert.deepEqual(rest, { ok: true, max_uses: 0, uses: 0, expires_at: null })
    assert.ok(url.startsWith(`${media.url}/share/`), url)
    // 48 bits, as the API description says.
    assert.match(url, /\/share\/[\w-]{8}$/)
    assert.deepEqual(await share(sound.id), first.body)
    assert.notEqual((await share(video.id)).url, url)

    await set({ share_link_max_uses: 3 })
    const limited = await share(sound.id)
    assert.deepEqual([limited.max_uses, limited.url === url], [3, false])
    assert.equal((await share(sound.id)).url, limited.url)
    await set({ share_link_expire_days: 2 })
    const expiring = await share(sound.id)
    assert.notEqual(expiring.url, limited.url)
    const days = (Date.parse(`${expiring.expires_at?.replace(' ', 'T')}Z`) - Date.now()) / 86_400_000
    assert.ok(days > 1.99 && days <= 2, expiring.expires_at ?? 'never')
    assert.equal((await share(sound.id)).url, expiring.url)
    await set({ share_link_max_uses: 0, share_link_expire_days: 0 })
    assert.equal((await share(sound.id)).url, url)

    assert.deepEqual((await list(sound.id)).map((link) => link.url).sort(), [url, limited.url, expiring.url].sort())
    assert.deepEqual((await revoke(sound.id)).body, { ok: true, deleted: 3 })
    assert.deepEqual((await revoke(sound.id)).body, { ok: true, deleted: 0 })
    assert.deepEqual([await list(sound.id), await list(randomUUID())], [[], []])
  })

  test('links begin with the service’s public host name', async () => {
    await set({ public_hostname: 'media.example.org' })
    assert.match((await share(sound.id)).url, /^https:\/\/media\.example\.org\/share\//)
    await set({ public_hostname: '2001:db8::7' })
    assert.match((await list(sound.id))[0]?.url ?? '', /^https:\/\/\[2001:db8::7\]\/share\//)
    await set({ public_hostname: '' })
    const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost:8443' }
    const { body } = await media.json<ShareLink>('POST', `/api/share/${sound.id}`, { headers: proxied })
    assert.match(body.url, /^https:\/\/localhost:8443\/share\//)
  })

  test('a missing file gets no link, and neither does a request without the CSRF token', async () => {
    for (const id of [randomUUID(), 'x']) assert.equal((await media.call('POST', `/api/share/${id}`)).status, 404)
    const held = await media.submit(platform.page('sound.m4a', { id: 'held', pace: 'held' }))
    assert.equal((await media.call('POST', `/api/share/${held.id}`)).status, 404)
    await media.call('POST', `/api/jobs/${held.id}/cancel`)
    platform.release()
    for (const method of ['POST', 'DELETE'])
      assert.equal((await media.call(method, `/api/share/${sound.id}`, { isBare: true })).status, 403)
  })

  test('a script gets the file immediately, as an attachment', async () => {
    const path = pathOf(await share(sound.id))
    const answer = await redeem(path)
    assert.equal(answer.status, 200)
    const headers = Object.fromEntries(answer.headers)
    assert.equal(headers['content-type'], 'audio/mpeg')
    assert.match(
      headers['content-disposition'] ?? '',
      /^attachment; filename="[\w.-]+\.mp3"; filename\*=UTF-8''.+\.mp3$/,
    )
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    const own = Buffer.from(await (await media.call('GET', `/download/${sound.id}`)).arrayBuffer())
    assert.ok(own.equals(Buffer.from(await answer.arrayBuffer())) && own.length > 10_000)
    assert.equal(await usesOf(sound.id), 1)
    const film = await redeem(pathOf(await share(video.id)))
    assert.equal(film.headers.get('content-type'), 'video/mp4')
    await film.body?.cancel()
  })

  test('a browser gets the page first, which does not count as a use', async () => {
    await revoke(sound.id)
    const link = await share(sound.id)
    const answer = await redeem(pathOf(link), browser)
    const html = await answer.text()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
    assert.match(html, /&lt;b&gt;Beat&lt;\/b&gt; &amp; &quot;more&quot;/)
    assert.doesNotMatch(html, /<b>/)
    assert.equal(html.match(/<script/g)?.length, 1)
    assert.match(html, /Audio · 0:12 · \d+(?:\.\d)? KiB/)
    const [, address = ''] = /<audio controls preload="none" src="([^"]+)"/.exec(html) ?? []
    assert.equal(`/share/${address}`, `${pathOf(link)}/1`)
    assert.match(await (await redeem(pathOf(await share(video.id)), browser)).text(), /<video controls/)
    for (const name of [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'WhatsApp/2.24',
      'Twitterbot/1.0',
    ])
      assert.equal(
        (await redeem(pathOf(link), { 'user-agent': name })).headers.get('content-type'),
        'text/html; charset=utf-8',
      )
    assert.equal(await usesOf(sound.id), 0)
    // The button of the page, and that of earlier versions.
    for (const path of [`${pathOf(link)}/1`, `${pathOf(link)}?download=1`]) {
      const file = await redeem(path, { ...browser, 'x-forwarded-for': '172.20.0.1' })
      assert.equal(file.headers.get('content-type'), 'audio/mpeg')
      await file.arrayBuffer()
      assert.equal(await usesOf(sound.id), 1)
    }
  })

  test('HEAD does not count as a use', async () => {
    await revoke(sound.id)
    const path = pathOf(await share(sound.id))
    const head = await redeem(path, {}, 'HEAD')
    assert.equal(head.status, 200)
    assert.ok(Number(head.headers.get('content-length')) > 10_000)
    assert.match(head.headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal((await redeem(path, browser, 'HEAD')).headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(await usesOf(sound.id), 0)
  })

  test('repeated requests of a client within an hour count once; another client counts again', async () => {
    await set({ share_link_max_uses: 2 })
    const path = pathOf(await share(sound.id))
    const fetchAs = async (address: string, range?: string) => {
      const answer = await redeem(path, { 'x-forwarded-for': address, ...(range === undefined ? {} : { range }) })
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    const whole = await fetchAs('192.0.2.1')
    assert.deepEqual([whole.status, (await fetchAs('192.0.2.1')).status, await usesOf(sound.id)], [200, 200, 1])
    const part = await fetchAs('192.0.2.1', 'bytes=100-199')
    assert.ok(part.status === 206 && part.bytes.equals(whole.bytes.subarray(100, 200)))
    // One client has a whole IPv6 network.
    const beginning = await fetchAs('2001:db8:1:2::1', 'bytes=0-99')
    assert.ok(beginning.status === 206 && beginning.bytes.equals(whole.bytes.subarray(0, 100)))
    assert.equal((await fetchAs('2001:db8:1:2::9', `bytes=100-`)).status, 206)
    assert.equal(await usesOf(sound.id), 2)
    // It is used up, but not for those who have begun.
    assert.equal((await fetchAs('192.0.2.3')).status, 404)
    assert.equal((await fetchAs('192.0.2.3', 'bytes=1-')).status, 404)
    assert.equal((await redeem(path, { ...browser, 'x-forwarded-for': '192.0.2.3' })).status, 404)
    assert.equal((await redeem(path, { ...browser, 'x-forwarded-for': '192.0.2.1' })).status, 200)
    assert.equal((await fetchAs('192.0.2.1', 'bytes=-10')).status, 206)
    assert.equal((await fetchAs('192.0.2.1', 'bytes=99999999-')).status, 416)
    const { query } = media.service.app.core.database
    await query
      .updateTable('share_uses')
      .set((row) => ({ used_at: row('used_at', '-', 3_600_001) }))
      .execute()
    assert.equal((await fetchAs('192.0.2.1', 'bytes=100-')).status, 404)
    // The next one to ask for a link gets one that works.
    assert.notEqual(pathOf(await share(sound.id)), path)
  })

  test('a range without a use is ignored: the response starts at the first byte and counts', async () => {
    await revoke(sound.id)
    const path = pathOf(await share(sound.id))
    const answer = await redeem(path, { range: 'bytes=1-' })
    assert.deepEqual([answer.status, answer.headers.get('content-range')], [200, null])
    await answer.arrayBuffer()
    assert.equal(await usesOf(sound.id), 1)
    const suffix = await redeem(path, { range: 'bytes=-500' })
    assert.equal(suffix.status, 200)
    await suffix.arrayBuffer()
    assert.equal((await redeem(path)).status, 404)
  })

  test('simultaneous clients never exceed the limit', async () => {
    await set({ share_link_max_uses: 4 })
    const path = pathOf(await share(sound.id))
    const answers = await Promise.all(Array.from({ length: 16 }, () => redeem(path)))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(
      [200, 404].map((one) => statuses.filter((status) => status === one).length),
      [4, 12],
    )
    assert.equal((await list(sound.id)).find((link) => pathOf(link) === path)?.uses, 4)
    await set({ share_link_max_uses: 0 })
  })

  test('every failure gives the identical page', async () => {
    await revoke(sound.id)
    const { query } = media.service.app.core.database
    const { artifacts } = media.service.app.core
    type Made = { id: string; path: string }
    const makeJob = async (id: string): Promise<Made> => {
      const job = await media.submit(platform.page('sound.m4a', { id }))
      await media.reach(job.id, 'analysis_done')
      return { id: job.id, path: pathOf(await share(job.id)) }
    }
    const made = await Promise.all(['gone', 'empty', 'expired', 'used', 'cancelled'].map(makeJob))
    const [gone, empty, expired, usedUp, cancelled] = made as [Made, Made, Made, Made, Made]
    await query.deleteFrom('jobs').where('id', '=', gone.id).execute()
    await artifacts.removeJob(empty.id)
    const change = ({ id }: Made, values: object) =>
      query.updateTable('share_links').set(values).where('job_id', '=', id).execute()
    await change(expired, { expires_at: Date.now() })
    await change(usedUp, { max_uses: 1, uses: 1 })
    await query.updateTable('jobs').set({ status: 'cancelled' }).where('id', '=', cancelled.id).execute()
    const good = pathOf(await share(sound.id))
    const paths = [
      `/share/${'A'.repeat(22)}`,
      `/share/${'A'.repeat(8)}`,
      ...['1', '1.jpg', 'x', '%zz'].map((file) => `/share/${'A'.repeat(8)}/${file}`),
      ...['2', '2.jpg', '2.json'].map((file) => `${good}/${file}`),
      ...['x', '', '%zz', '%00', 'a%2Fb', 'A'.repeat(129), 'A'.repeat(4000), 'ä ö'].map((token) => `/share/${token}`),
      ...made.flatMap(({ path }) => [path, `${path}/1`]),
    ]
    for (const [method, headers] of [
      ['GET', {}],
      ['GET', browser],
      ['GET', { range: 'bytes=0-' }],
      ['HEAD', {}],
    ] as const) {
      // What a file may be asked for is counted apart from pages.
      const own = new Set(['date', 'x-request-id', 'x-ratelimit-reset', 'keep-alive'])
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining']) own.add(name)
      const seen = new Map<string, string>()
      for (const path of paths)
        for (const query of ['', '?download=1']) {
          const answer = await redeem(`${path}${query}`, headers, method)
          const kept = [...answer.headers].filter(([name]) => !own.has(name))
          seen.set(JSON.stringify([answer.status, kept, await answer.text()]), `${path}${query}`)
        }
      assert.deepEqual([...seen.values()].length, 1, JSON.stringify([...seen], null, 1))
      const [text = ''] = seen.keys()
      assert.match(text, /^\[404,.*"content-type","text\/html; charset=utf-8"/)
    }
  })

  test('a link works without a session when everything else requires one', async () => {
    const path = pathOf(await share(sound.id))
    await set({ enable_authentication: true, admin_username: 'admin', admin_password: 'a good password' })
    const [file, page] = [await redeem(path), await redeem(path, browser)]
    await file.arrayBuffer()
    assert.deepEqual([file.status, page.status], [200, 200])
    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await redeem(`/api/share/${sound.id}`, {}, method)).status, 401, method)
    assert.equal((await redeem('/share/unknown-one')).status, 404)
    await media.service.app.core.settings.write({ enable_authentication: false })
  })

  test('the database contains neither a token nor its unsalted hash', async () => {
    const path = pathOf(await share(sound.id))
    await (await redeem(path, { 'x-forwarded-for': '192.0.2.77' })).arrayBuffer()
    const token = path.slice('/share/'.length)
    const { query } = media.service.app.core.database
    const links = JSON.stringify(await query.selectFrom('share_links').selectAll().execute())
    assert.ok(links.includes('v1.') && !links.includes(token))
    const uses = JSON.stringify(await query.selectFrom('share_uses').selectAll().execute())
    const plain = (text: string) => createHash('sha256').update(text).digest('hex')
    assert.ok(!links.includes(plain(token)) && !uses.includes(plain(`${token}\n192.0.2.77`)))
  })

  test('a 22-character token of earlier versions still works', async () => {
    const { database, sealer } = media.service.app.core
    const token = randomBytes(16).toString('base64url')
    const token_hash = createHash('sha256').update(token).digest('hex')
    const token_sealed = sealer.seal(token, `share_links.token_sealed:${token_hash}`)
    const times = { created_at: Date.now() + 1000, expires_at: null }
    const plain = { job_id: sound.id, name: null, password_hash: null, is_reusable: 1, last_fetched_at: null }
    await insertLink(database.query, { token_hash, token_sealed, max_uses: 0, uses: 0, ...plain, ...times })
    const file = await redeem(`/share/${token}`)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'audio/mpeg'])
    await file.arrayBuffer()
    const present = (await list(sound.id)).find((link) => pathOf(link) === `/share/${token}`)
    assert.equal(present?.uses, 1)
    await database.query.deleteFrom('share_links').where('token_hash', '=', token_hash).execute()
  })

  test('links survive a restart and are deleted with their jobs', async () => {
    const { url } = await share(sound.id)
    await media.restart()
    const [again] = await list(sound.id)
    assert.equal(new URL(again?.url ?? '').pathname, new URL(url).pathname)
    const count = await media.service.app.core.database.query.selectFrom('share_links').selectAll().execute()
    const { body } = await media.json<{ share_links_deleted: number }>('POST', '/api/jobs/remove-all')
    assert.equal(body.share_links_deleted, count.length)
    assert.equal((await redeem(new URL(url).pathname)).status, 404)
  })

  test('guessing tokens from many addresses is slowed down for everybody', async () => {
    let refused: Response | undefined
    for (let index = 0; index < 301 && refused === undefined; index += 1) {
      const answer = await redeem(`/share/guess-${index}-guess`)
      if (answer.status === 429) refused = answer
      else await answer.arrayBuffer()
    }
    assert.ok(refused !== undefined && Number(refused.headers.get('retry-after')) >= 1)
    assert.match(((await refused.json()) as { detail: string }).detail, /^Too many wrong links/)
  })
})
