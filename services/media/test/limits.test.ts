import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { startMedia, type Media } from './in-process.ts'

/** Requests a minute from one address, by route. */
const limits: Record<string, number> = {
  'GET /login': 20,
  'POST /login': 5,
  'POST /logout': 20,
  'GET /api/openid': 20,
  'GET /api/openid/callback': 20,
  'GET /api/openid/provider': 60,
  'POST /api/passkeys/login/start': 30,
  'POST /api/passkeys/login/finish': 5,
  'POST /api/session/recovery': 5,
  'POST /api/passkeys/register/start': 10,
  'POST /api/passkeys/register/finish': 10,
  'GET /api/passkeys': 60,
  'PATCH /api/passkeys/x': 10,
  'POST /api/passkeys/x/remove': 10,
  'GET /api/recovery-codes': 60,
  'POST /api/recovery-codes': 10,
  'GET /api/session/tokens': 60,
  'POST /api/session/tokens': 10,
  'DELETE /api/session/tokens/x': 10,
  'POST /api/submit': 10,
  'GET /api/jobs': 60,
  'GET /api/jobs/x': 60,
  'POST /api/jobs/x/cancel': 30,
  'POST /api/jobs/x/retry': 10,
  'POST /api/jobs/x/analyse': 10,
  'POST /api/jobs/name-preview': 60,
  'GET /api/analysis': 60,
  'POST /api/analysis': 10,
  'POST /api/jobs/remove-all': 2,
  'GET /job/x': 120,
  'GET /download/x': 30,
  'GET /audio-source/x': 60,
  'GET /thumbnail/x': 120,
  'GET /api/thumbnail-cache/x': 120,
  'GET /api/thumbnail/resolve': 30,
  'GET /api/thumbnail-proxy': 30,
  'GET /api/settings': 60,
  'POST /api/settings': 5,
  'GET /api/backups': 60,
  'POST /api/backups': 5,
  'POST /api/stats/reset': 5,
  'GET /api/stats': 30,
  'GET /api/stats/bpm-clusters': 30,
  'GET /api/updates': 30,
  'GET /api/system/host': 60,
  'GET /api/info': 20,
  'GET /api/jobs/x/report': 30,
  'GET /api/platforms': 60,
  'GET /api/playlist': 10,
  'GET /api/imports': 60,
  'POST /api/imports': 10,
  'DELETE /api/imports': 10,
  'GET /api/followed': 60,
  'POST /api/followed': 30,
  'PATCH /api/followed/x': 30,
  'DELETE /api/followed/x': 30,
  'POST /api/followed/x/check': 10,
  'POST /api/platforms/youtube/try': 10,
  'GET /events': 30,
  'GET /api/jobs/x/events': 30,
  'GET /api/cookies': 30,
  'POST /api/cookies/youtube': 10,
  'POST /api/cookies/youtube/paste': 10,
  'DELETE /api/cookies/youtube': 10,
  'POST /api/jobs/remove': 30,
  'GET /api/library': 120,
  'GET /api/library/tags': 60,
  'POST /api/library/tags': 60,
  'GET /api/collections': 60,
  'POST /api/collections': 60,
  'PATCH /api/collections/x': 60,
  'DELETE /api/collections/x': 60,
  'POST /api/collections/x/jobs': 60,
  'GET /api/feeds': 30,
  'POST /api/feeds': 30,
  'DELETE /api/feeds/x': 30,
  'GET /feed/x': 60,
  'GET /feed/x/y': 120,
  'POST /api/trim/x': 10,
  'DELETE /api/trim/x': 30,
  'GET /api/trim/x/0_2000/download': 30,
  'GET /api/stemsvc/status': 30,
  'POST /api/stemsvc/auth/activation-key': 5,
  'POST /api/stemsvc/auth/logout': 10,
  'POST /api/stemsvc/x?stem=vocals': 5,
  'GET /api/stemsvc/download/x?stem=vocals': 10,
  'POST /api/share/x': 20,
  'GET /api/shares': 30,
  'GET /api/shares/x/fetches': 30,
  'POST /api/shares': 30,
  'PATCH /api/shares/x': 30,
  'DELETE /api/shares/x': 30,
  'GET /share/x': 20,
  'POST /share/x': 10,
  'GET /share/abcdefgh/1': 600,
  'GET /api/settings/watermark-logo': 60,
  'GET /api/settings/watermark-logo/image': 60,
  'POST /api/settings/watermark-logo': 10,
  'DELETE /api/settings/watermark-logo': 10,
  'GET /api/notifications/destinations': 60,
  'POST /api/notifications/destinations': 30,
  'PUT /api/notifications/destinations/x': 30,
  'DELETE /api/notifications/destinations/x': 30,
  'POST /api/notifications/destinations/x/test': 10,
  'GET /api/notifications/failures': 60,
  'POST /api/notifications/failures/x/send': 30,
  'DELETE /api/notifications/failures/x': 30,
}

let media: Media
before(async () => {
  // Nothing is asked of anybody: what would go out is refused at once.
  media = await startMedia({
    API_TOKENS: 'on',
    UPDATES_BASE_URL: 'http://127.0.0.1:9',
    STEMSVC_BASE_URL: 'http://127.0.0.1:9',
  })
  await media.call('GET', '/api/session')
})
after(() => media[Symbol.asyncDispose]())

async function send(request: string, address: string): Promise<Response> {
  const [method = '', path = ''] = request.split(' ')
  const token = media.cookies.get(csrfCookie) ?? ''
  const response = await fetch(`${media.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': address, 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` },
    ...(method === 'POST'
      ? {
          body: '{}',
          headers: {
            'x-forwarded-for': address,
            'x-csrf-token': token,
            cookie: `${csrfCookie}=${token}`,
            'content-type': 'application/json',
          },
        }
      : {}),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel()
  else await response.arrayBuffer()
  return response
}

/** Wrong links of an address in an hour; they end before the requests of a minute do. */
const wrongLinks = 200

for (const [request, limit] of Object.entries(limits)) {
  test(`${request} allows ${limit} requests a minute, then 429 with the waiting time`, async () => {
    const address = `198.51.100.${Object.keys(limits).indexOf(request) + 1}`
    const allowed = request.startsWith('GET /share/') ? Math.min(limit, wrongLinks) : limit
    for (let index = 0; index < allowed; index++) {
      const { status, headers } = await send(request, address)
      assert.notEqual(status, 429, `${index + 1}`)
      assert.equal(headers.get('x-ratelimit-limit'), String(limit))
    }
    const refused = await send(request, address)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    // Another address, and another route, have counts of their own.
    assert.notEqual((await send(request, '198.51.100.250')).status, 429)
    assert.notEqual((await send('GET /api/session', address)).status, 429)
  })
}

test('X-Forwarded-For is trusted from known proxies only, and the last untrusted address counts', async () => {
  const ask = (forwarded: string) =>
    fetch(`${media.url}/api/jobs/none`, { headers: { 'x-forwarded-for': forwarded } }).then((one) => one.headers)
  const remaining = async (forwarded: string) => Number((await ask(forwarded)).get('x-ratelimit-remaining'))
  assert.equal(await remaining('203.0.113.5'), 59)
  // What a client writes itself stands to the left of what the proxy adds.
  assert.equal(await remaining('8.8.8.8, 203.0.113.5'), 58)
  // One client has a whole IPv6 network.
  assert.equal(await remaining('2001:db8:1:2::1'), 59)
  assert.equal(await remaining('2001:db8:1:2:ffff::9'), 58)
})
