import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import type { Share, ShareFetch } from '../src/shares/schema.ts'
import { unlockCookie } from '../src/shares/share-password.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const browser = {
  accept: 'text/html',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
}

/** Headers that only a page has. */
const title = `Beat"; filename="x.exe\r\nSet-Cookie: a=b \u202e../../etc/pass<wd>`

describe('share pages', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let video: Job

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    const [one, two] = [
      await media.submit(platform.page('sound.opus', { title })),
      await media.submit(platform.page('video.mp4', { id: 'video', title: 'A film' }), { type: 'video' }),
    ]
    ;[sound, video] = await Promise.all([media.reach(one.id, 'analysis_done'), media.reach(two.id, 'done')])
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  let lastAddress = 0
  const nextVisitor = () => `172.18.${(lastAddress += 1) >> 8}.${lastAddress & 255}`
  const create = async (json: object) => {
    const { status, body } = await media.json<Share>('POST', '/api/shares', { json })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const read = async ({ id }: Share, jobId = sound.id) => {
    const { body } = await media.json<Share[]>('GET', `/api/shares?limit=100&job_id=${jobId}`)
    return body.find((one) => one.id === id)
  }
  const change = (share: Share, json: object) => media.json<Share>('PATCH', `/api/shares/${share.id}`, { json })
  const fetches = async ({ id }: Share) => (await media.json<ShareFetch[]>('GET', `/api/shares/${id}/fetches`)).body
  const pathOf = ({ url }: Share) => new URL(url).pathname
  /** As somebody without a session. */
  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(media.url + path, { method, redirect: 'manual', headers: { 'x-forwarded-for': nextVisitor(), ...headers } })
  const statusOf = async (...args: Parameters<typeof visit>) => {
    const answer = await visit(...args)
    await answer.arrayBuffer()
    return answer.status
  }
  const enter = (path: string, password: string, from = nextVisitor(), headers: Record<string, string> = {}) =>
    fetch(media.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-forwarded-for': from, ...headers },
      body: new URLSearchParams({ password }),
    })

  test('a link has several files, its own title, uses and end, and each file its address', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const share = await create({
      job_ids: [video.id, sound.id, video.id],
      name: ' The demo\u0007 ',
      max_uses: 1,
      expires_at,
    })
    assert.deepEqual(
      [share.name, share.state, share.max_uses, share.uses, share.has_password, share.last_fetched_at],
      ['The demo', 'active', 1, 0, false, null],
    )
    assert.equal(share.expires_at, expires_at.slice(0, 19).replace('T', ' '))
    assert.deepEqual(
      share.files.map((file) => [file.job_id, file.type, file.is_available]),
      [
        [video.id, 'video', true],
        [sound.id, 'audio', true],
      ],
    )
    const html = await (await visit(pathOf(share), browser)).text()
    assert.match(html, /<title>The demo<\/title>/)
    assert.match(html, /<h1>The demo<\/h1>\n<p>2 files · available until/)
    assert.equal(html.match(/<li>/g)?.length, 2)
    const from = { 'x-forwarded-for': '203.0.113.77' }
    for (const [file, type] of [
      ['1', 'video/mp4'],
      ['2', 'audio/mpeg'],
    ] as const) {
      const answer = await visit(`${pathOf(share)}/${file}`, from)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type])
      assert.ok((await answer.arrayBuffer()).byteLength > 10_000)
    }
    // One visitor is one use, however many files; the next one is too late.
    assert.deepEqual([(await read(share))?.uses, (await read(share))?.state], [1, 'used_up'])
    assert.equal(await statusOf(`${pathOf(share)}/1`), 404)
    assert.equal(await statusOf(pathOf(share), browser), 404)
    assert.equal(await statusOf(pathOf(share), { ...browser, ...from }), 200)
    const fetched = (await fetches(share)).map(({ network, job_id }) => `${network} ${job_id}`)
    assert.deepEqual(new Set(fetched), new Set([video.id, sound.id].map((id) => `203.0.113.0/24 ${id}`)))
    assert.equal(fetched.length, 2)
    assert.notEqual((await read(share))?.last_fetched_at, null)
  })

  test('what a share cannot be is refused, and the part is named', async () => {
    const held = await media.submit(platform.page('sound.m4a', { id: 'held', pace: 'held' }))
    const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
    const wrong: [object, number, RegExp][] = [
      [{}, 400, /^job_ids/],
      [{ job_ids: [] }, 400, /^job_ids/],
      [{ job_ids: ['x'] }, 400, /^job_ids/],
      [{ job_ids: Array.from({ length: 101 }, () => randomUUID()) }, 400, /^job_ids/],
      [{ job_ids: [randomUUID()] }, 404, /job/],
      [{ job_ids: [sound.id, held.id] }, 409, new RegExp(`^job_ids: ${held.id}`)],
      [{ job_ids: [sound.id], password: 'short' }, 400, /^password/],
      [{ job_ids: [sound.id], password: 'x'.repeat(201) }, 400, /^password/],
      [{ job_ids: [sound.id], max_uses: -1 }, 400, /^max_uses/],
      [{ job_ids: [sound.id], name: ' ' }, 400, /^name/],
      [{ job_ids: [sound.id], expires_at: 'tomorrow' }, 400, /^expires_at/],
      [{ job_ids: [sound.id], expires_at: at(-1000) }, 400, /^expires_at/],
      [{ job_ids: [sound.id], expires_at: at(3651 * 86_400_000) }, 400, /^expires_at/],
      [{ job_ids: [sound.id], other: 1 }, 400, /other/],
    ]
    for (const [json, status, detail] of wrong) {
      const answer = await media.json<{ detail: string }>('POST', '/api/shares', { json })
      assert.equal(answer.status, status, JSON.stringify([json, answer.body]))
      assert.match(answer.body.detail, detail)
    }
    await media.call('POST', `/api/jobs/${held.id}/cancel`)
    platform.release()
    for (const [method, path] of [
      ['PATCH', `/api/shares/${'a'.repeat(64)}`],
      ['DELETE', `/api/shares/${'a'.repeat(64)}`],
      ['GET', `/api/shares/${'a'.repeat(64)}/fetches`],
    ] as const)
      assert.equal((await media.call(method, path, method === 'PATCH' ? { json: {} } : {})).status, 404, path)
  })

  test('a link is changed under its address, ends, works again, and is taken back', async () => {
    const share = await create({ job_ids: [sound.id] })
    assert.equal(await statusOf(pathOf(share)), 200)
    const { query } = media.service.app.core.database
    await query.updateTable('share_links').set({ expires_at: Date.now() }).where('token_hash', '=', share.id).execute()
    assert.deepEqual([await statusOf(pathOf(share)), (await read(share))?.state], [404, 'ended'])
    const { body: working } = await media.json<{ url: string }[]>('GET', `/api/share/${sound.id}`)
    assert.ok(working.every(({ url }) => url !== share.url))
    const changed = await change(share, { expires_at: null, name: 'Again', max_uses: 5 })
    assert.deepEqual(
      [
        changed.status,
        changed.body.url,
        changed.body.state,
        changed.body.name,
        changed.body.max_uses,
        changed.body.uses,
      ],
      [200, share.url, 'active', 'Again', 5, 1],
    )
    assert.equal(await statusOf(pathOf(share)), 200)
    assert.equal((await change(share, { name: null })).body.name, null)
    assert.equal((await media.call('DELETE', `/api/shares/${share.id}`)).status, 200)
    assert.deepEqual([await statusOf(pathOf(share)), await read(share)], [404, undefined])
  })

  test('a link made with its own rules is not given to whoever asks for a plain one', async () => {
    await media.call('DELETE', `/api/share/${sound.id}`)
    const own = await create({ job_ids: [sound.id] })
    const plain = await media.json<{ url: string }>('POST', `/api/share/${sound.id}`)
    assert.notEqual(plain.body.url, own.url)
    const both = await create({ job_ids: [sound.id, video.id] })
    const listed = (await media.json<{ url: string }[]>('GET', `/api/share/${sound.id}`)).body.map(({ url }) => url)
    assert.deepEqual(listed.sort(), [own.url, plain.body.url, both.url].sort())
    // Nothing may give the file any more.
    assert.deepEqual((await media.json('DELETE', `/api/share/${sound.id}`)).body, { ok: true, deleted: 3 })
    assert.equal(await statusOf(`${pathOf(both)}/1`), 404)
  })

  test('picture and wave come without a use, and neither does the page', async () => {
    const share = await create({ job_ids: [sound.id], max_uses: 1 })
    const wave = await visit(`${pathOf(share)}/1.json`)
    assert.deepEqual([wave.status, wave.headers.get('content-type')], [200, 'application/json; charset=utf-8'])
    const { peaks } = (await wave.json()) as { peaks: number[] }
    assert.ok(peaks.length > 50 && peaks.length <= 240 && Math.max(...peaks) === 100)
    const picture = await visit(`${pathOf(share)}/1.jpg`)
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/jpeg'])
    assert.equal(picture.headers.get('content-disposition'), null)
    await picture.arrayBuffer()
    await visit(pathOf(share), browser)
    assert.deepEqual([(await read(share))?.uses, await fetches(share)], [0, []])
    const film = await create({ job_ids: [video.id] })
    assert.equal(await statusOf(`${pathOf(film)}/1.json`), 404)
  })

  test('parallel ranges of one player count once, also when the first answers are still under way', async () => {
    const share = await create({ job_ids: [sound.id, video.id], max_uses: 1 })
    const from = { 'x-forwarded-for': '198.51.100.9' }
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        visit(`${pathOf(share)}/${(index % 2) + 1}`, { ...from, range: `bytes=0-${index * 100}` }),
      ),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([206]))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    const later = await visit(`${pathOf(share)}/1`, { ...from, range: 'bytes=5000-5999' })
    assert.deepEqual([later.status, (await later.arrayBuffer()).byteLength], [206, 1000])
    assert.deepEqual([(await read(share))?.uses, (await fetches(share)).length], [1, 2])
  })

  test('all files come as one archive, which is one use, and a script gets it at once', async () => {
    const share = await create({ job_ids: [sound.id, video.id], name: 'Demo / 1', max_uses: 1 })
    const head = await visit(`${pathOf(share)}/all.zip`, {}, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/zip'])
    assert.equal((await read(share))?.uses, 0)
    const from = { 'x-forwarded-for': '198.51.100.50' }
    for (const path of [pathOf(share), `${pathOf(share)}/all.zip`]) {
      const answer = await visit(path, from)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip'])
      assert.match(answer.headers.get('content-disposition') ?? '', /filename\*=UTF-8''Demo%201\.zip$/)
      const archive = Buffer.from(await answer.arrayBuffer())
      // A file begins with PK and the archive ends with its directory, of two files.
      assert.deepEqual([archive.toString('latin1', 0, 4), archive.readUInt16LE(archive.length - 12)], ['PK\x03\x04', 2])
    }
    assert.deepEqual([(await read(share))?.uses, (await fetches(share)).length], [1, 2])
    assert.equal(await statusOf(`${pathOf(share)}/all.zip`), 404)
  })

  test('a title sets no header and no path', async () => {
    const share = await create({ job_ids: [sound.id], name: `</title><script>alert(1)</script>${title}` })
    const file = await visit(`${pathOf(share)}/1`)
    await file.arrayBuffer()
    assert.deepEqual([file.status, file.headers.getSetCookie()], [200, []])
    const disposition = file.headers.get('content-disposition') ?? ''
    assert.match(disposition, /^attachment; filename="[\w.-]+\.mp3"; filename\*=UTF-8''[\w.%()'!~*-]+\.mp3$/)
    const name = decodeURIComponent(disposition.split("''")[1] ?? '')
    assert.doesNotMatch(name, /[/\\\r\n\u202e"<>:]/)
    const html = await (await visit(pathOf(share), browser)).text()
    assert.doesNotMatch(html, /alert\(1\)<\/script>|<wd>/)
    assert.equal(html.match(/<script/g)?.length, 1)
  })

  test('nothing of the service shows on the page, in its headers or its errors', async () => {
    const share = await create({ job_ids: [sound.id, video.id], password: 'open sesame' })
    const open = await create({ job_ids: [sound.id] })
    const answers = [
      await visit(pathOf(open), browser),
      await visit(`${pathOf(open)}/1`),
      await visit(`${pathOf(open)}/1.jpg`),
      await visit(`${pathOf(open)}/1.json`),
      await visit(pathOf(share), browser),
      await visit('/share/unknown-one', browser),
      await enter(pathOf(share), 'wrong'),
      await enter(pathOf(share), 'open sesame'),
    ]
    const known = new Set(
      `accept-ranges cache-control connection content-disposition content-length content-security-policy content-type
      cross-origin-opener-policy cross-origin-resource-policy date etag keep-alive location referrer-policy set-cookie
      transfer-encoding x-content-type-options x-frame-options x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset
      x-request-id`.split(/\s+/),
    )
    for (const answer of answers) {
      const body = Buffer.from(await answer.arrayBuffer())
      const text = answer.headers.get('content-type')?.startsWith('text/html') === true ? body.toString() : ''
      for (const [name, value] of answer.headers) {
        assert.ok(known.has(name), `${name}: ${value}`)
        assert.doesNotMatch(value, /hearth|fastify|node/i, name)
      }
      assert.doesNotMatch(text.replaceAll(media.url, ''), /hearth|\/api|\/assets|manifest|csrf|log.?in|sign.?in/i)
    }
  })

  test('a link with a password gives nothing before it, and its cookie is for this link alone', async () => {
    const share = await create({ job_ids: [sound.id, video.id], name: 'Secret name', password: 'open sesame' })
    const other = await create({ job_ids: [sound.id], password: 'open sesame' })
    assert.equal(share.has_password, true)
    const paths = ['', '?download=1', '/1', '/1.jpg', '/1.json', '/2', '/3'].map((part) => pathOf(share) + part)
    for (const path of paths)
      for (const headers of [browser, {}]) {
        const answer = await visit(path, headers)
        const html = await answer.text()
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [403, 'text/html; charset=utf-8'], path)
        assert.match(html, /This link has a password/)
        assert.doesNotMatch(html, /Secret name|Beat|A film|og:|2 files/)
      }
    const wrong = await enter(pathOf(share), 'open sesamE')
    assert.deepEqual([wrong.status, wrong.headers.getSetCookie()], [403, []])
    assert.match(await wrong.text(), /The password is wrong\./)
    const right = await enter(pathOf(share), 'open sesame')
    assert.equal(right.status, 303)
    assert.equal(new URL(right.headers.get('location') ?? '', share.url).pathname, pathOf(share))
    const [cookie = ''] = right.headers.getSetCookie()
    assert.match(
      cookie,
      new RegExp(`^${unlockCookie}=\\d+\\.[\\w-]{43}; Max-Age=43200; Path=${pathOf(share)}; HttpOnly; SameSite=Lax$`),
    )
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    for (const path of ['', '/1', '/1.jpg', '/1.json', '/2'])
      assert.equal(await statusOf(pathOf(share) + path, headers), 200, path)
    assert.match(await (await visit(pathOf(share), { ...browser, ...headers })).text(), /<h1>Secret name<\/h1>/)
    assert.equal(await statusOf(pathOf(other), headers), 403)
    // Another password locks out who knew the one before.
    await change(share, { password: 'another one' })
    assert.equal(await statusOf(pathOf(share), headers), 403)
    await change(share, { password: null })
    assert.equal(await statusOf(pathOf(share)), 200)
    assert.equal((await enter(pathOf(share), 'whatever')).status, 303)
  })

  test('a proxy with https gets a cookie that only https sends', async () => {
    const share = await create({ job_ids: [sound.id], password: 'open sesame' })
    const right = await enter(pathOf(share), 'open sesame', nextVisitor(), { 'x-forwarded-proto': 'https' })
    assert.match(right.headers.getSetCookie()[0] ?? '', /; Secure/)
  })

  test('wrong passwords must wait, also many at once, and other visitors need not', async () => {
    const share = await create({ job_ids: [sound.id], password: 'open sesame' })
    const from = '198.51.100.20'
    const attempts = await Promise.all(Array.from({ length: 8 }, () => enter(pathOf(share), 'guess', from)))
    const statuses = attempts.map(({ status }) => status)
    assert.deepEqual(
      [403, 429].map((one) => statuses.filter((status) => status === one).length),
      [3, 5],
    )
    const waiting = attempts.find(({ status }) => status === 429)
    assert.ok(Number(waiting?.headers.get('retry-after')) >= 1)
    assert.match((await waiting?.text()) ?? '', /Too many wrong passwords\. Try again in \d+ seconds?\./)
    assert.equal((await enter(pathOf(share), 'open sesame')).status, 303)
    // Pages of other sites cannot try.
    assert.equal(
      (await enter(pathOf(share), 'open sesame', nextVisitor(), { 'sec-fetch-site': 'cross-site' })).status,
      403,
    )
  })

  test('a password is never where a link is listed, and stored as a hash alone', async () => {
    const share = await create({ job_ids: [sound.id], password: 'open sesame' })
    const rows = JSON.stringify(
      await media.service.app.core.database.query.selectFrom('share_links').selectAll().execute(),
    )
    assert.match(rows, /\$argon2id\$/)
    for (const text of [rows, JSON.stringify(share), JSON.stringify(await read(share))])
      assert.ok(!text.includes('sesame') && !text.includes(createHash('sha256').update('open sesame').digest('hex')))
    assert.doesNotMatch(JSON.stringify(await read(share)), /argon2|password_hash|token_hash/)
  })

  test('the password of an unknown link is answered like any wrong link', async () => {
    const get = await visit('/share/AAAAAAAA', browser)
    const post = await enter('/share/AAAAAAAA', 'x')
    assert.deepEqual([post.status, await post.text()], [404, await get.text()])
  })

  test('the wrong address of a picture or wave locks nobody out who has a good link', async () => {
    const share = await create({ job_ids: [video.id] })
    const from = { 'x-forwarded-for': '198.51.100.30' }
    const { query } = media.service.app.core.database
    const clear = () => media.service.app.core.artifacts.removeOne(video.id, 'thumbnail.jpg')
    await clear()
    for (let index = 0; index < 100; index += 1) assert.equal(await statusOf(`${pathOf(share)}/1.jpg`, from), 404)
    assert.equal(await statusOf(`${pathOf(share)}/1`, from), 200)
    assert.ok((await query.selectFrom('share_fetches').selectAll().execute()).length > 0)
  })

  test('an answer that fails after its use was counted is asked for again without another use', async () => {
    const share = await create({ job_ids: [video.id], max_uses: 1 })
    const { artifacts } = media.service.app.core
    const from = { 'x-forwarded-for': '198.51.100.40' }
    const open = artifacts.open.bind(artifacts)
    artifacts.open = () => Promise.reject(new Error('the storage is away'))
    assert.equal(await statusOf(`${pathOf(share)}/1`, from), 404)
    artifacts.open = open
    const answer = await visit(`${pathOf(share)}/1`, from)
    assert.ok(answer.status === 200 && (await answer.arrayBuffer()).byteLength > 10_000)
    assert.deepEqual([(await read(share, video.id))?.uses, (await fetches(share)).length], [1, 1])
  })
})
