import assert from 'node:assert/strict'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { createFastTimers, createLog } from '@hearth/runtime'
import { eventually, nextAddress } from '@hearth/testing'
import { operationsOf } from '@hearth/testing/conformance'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { openapiDocument } from '../src/openapi.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { finishedJob } from './job-row.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

interface Created {
  id: string
  token: string
}
interface Answer {
  detail: string
  error?: string
}
interface Sending {
  readonly from?: string
  readonly json?: object
  readonly form?: Record<string, string>
  readonly cookie?: string
}

const path = '/api/session/tokens'
const account = { admin_username: 'ada', admin_password: 'correct horse battery' }
const permissions = ['read', 'submit', 'full'] as const
type Permissions = (typeof permissions)[number]

/** Least permissions of a token for each route; a route that is not here takes none. */
const least: Record<string, Permissions> = {
  'GET /': 'read',
  'GET /settings': 'read',
  'GET /statistics': 'read',
  'GET /job/{job_id}': 'read',
  'GET /docs': 'read',
  'GET /redoc': 'read',
  'GET /openapi.json': 'read',
  'GET /api/neighbours': 'read',
  'GET /api/jobs': 'read',
  'GET /api/jobs/{job_id}': 'read',
  'POST /api/submit': 'submit',
  'POST /api/jobs/{job_id}/cancel': 'submit',
  'POST /api/jobs/{job_id}/retry': 'submit',
  'POST /api/jobs/{job_id}/tempo': 'submit',
  'POST /api/jobs/{job_id}/analyse': 'submit',
  'POST /api/analysis': 'submit',
  'GET /api/analysis': 'read',
  'POST /api/jobs/name-preview': 'full',
  'POST /api/jobs/pin': 'submit',
  'GET /api/storage': 'read',
  'GET /api/storage/preview': 'read',
  'GET /api/storage/forecast': 'read',
  'GET /api/storage/log': 'read',
  'POST /api/storage/accept': 'full',
  'GET /api/jobs/{job_id}/beats': 'read',
  'GET /api/waveform/{job_id}/peaks': 'read',
  'GET /api/jobs/{job_id}/workbench': 'read',
  'PUT /api/jobs/{job_id}/workbench': 'submit',
  'GET /api/jobs/{job_id}/sounds/{sound}': 'read',
  'GET /api/jobs/{job_id}/exports': 'read',
  'POST /api/jobs/{job_id}/exports': 'submit',
  'POST /api/jobs/{job_id}/exports/{export_id}/cancel': 'submit',
  'DELETE /api/jobs/{job_id}/exports/{export_id}': 'submit',
  'GET /api/jobs/{job_id}/exports/{export_id}/files/{number}': 'read',
  'GET /api/jobs/{job_id}/exports/{export_id}/all.zip': 'read',
  'POST /api/jobs/remove-all': 'full',
  'POST /api/jobs/remove': 'full',
  'GET /api/library': 'read',
  'GET /api/library/tags': 'read',
  'POST /api/library/tags': 'submit',
  'GET /api/collections': 'read',
  'POST /api/collections': 'submit',
  'PATCH /api/collections/{id}': 'submit',
  'DELETE /api/collections/{id}': 'submit',
  'POST /api/collections/{id}/jobs': 'submit',
  'GET /api/jobs/{job_id}/report': 'read',
  'GET /api/platforms': 'read',
  'POST /api/platforms/{platform}/try': 'submit',
  'GET /api/playlist': 'read',
  'GET /api/imports': 'read',
  'POST /api/imports': 'submit',
  'DELETE /api/imports': 'submit',
  'GET /api/followed': 'read',
  'POST /api/followed': 'submit',
  'PATCH /api/followed/{id}': 'submit',
  'DELETE /api/followed/{id}': 'submit',
  'POST /api/followed/{id}/check': 'submit',
  'GET /api/info': 'read',
  'GET /download/{job_id}': 'read',
  'GET /audio-source/{job_id}': 'read',
  'GET /thumbnail/{job_id}': 'read',
  'GET /events': 'read',
  'GET /api/jobs/{job_id}/events': 'read',
  'GET /api/settings': 'read',
  'POST /api/settings': 'full',
  'GET /api/settings/watermark-logo': 'read',
  'GET /api/settings/watermark-logo/image': 'read',
  'POST /api/settings/watermark-logo': 'full',
  'DELETE /api/settings/watermark-logo': 'full',
  'GET /api/backups': 'read',
  'POST /api/backups': 'full',
  'GET /api/waveform/{job_id}': 'read',
  'GET /api/trim/{job_id}': 'read',
  'POST /api/trim/{job_id}': 'submit',
  'DELETE /api/trim/{job_id}': 'submit',
  'GET /api/trim/{job_id}/{trim_id}/download': 'read',
  'GET /api/stemsvc/status': 'read',
  'POST /api/stemsvc/{job_id}': 'submit',
  'GET /api/stemsvc/download/{job_id}': 'read',
  'GET /api/share/{job_id}': 'read',
  'POST /api/share/{job_id}': 'submit',
  'DELETE /api/share/{job_id}': 'submit',
  'GET /api/shares': 'read',
  'GET /api/shares/{id}/fetches': 'read',
  'POST /api/shares': 'submit',
  'PATCH /api/shares/{id}': 'submit',
  'DELETE /api/shares/{id}': 'submit',
  'GET /api/cookies': 'read',
  'GET /api/thumbnail/resolve': 'read',
  'GET /api/thumbnail-cache/{cache_key}': 'read',
  'GET /api/thumbnail-proxy': 'read',
  'GET /api/stats': 'read',
  'GET /api/stats/bpm-clusters': 'read',
  'POST /api/stats/reset': 'full',
  'GET /api/updates': 'read',
  'POST /api/updates/ytdlp': 'full',
  'POST /api/updates/ytdlp/revert': 'full',
  'GET /api/system/host': 'read',
}

const timers = createFastTimers(1)
const lines: string[] = []
let platform: Platform
let media: Media

before(async () => {
  const log = createLog({ name: 'test', level: 'silent' })
  const note = (...words: unknown[]) => void lines.push(JSON.stringify(words))
  const recorded = Object.assign(log, { debug: note, info: note, warn: note, error: note, child: () => log })
  platform = await startPlatform()
  const nobody = { UPDATES_BASE_URL: 'http://127.0.0.1:9', STEMSVC_BASE_URL: 'http://127.0.0.1:9' }
  media = await startMedia({ API_TOKENS: 'on', ...nobody, ...knows(platform.host) }, { timers, log: recorded })
  await turnOn(media)
})
after(async () => {
  await media[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

/** Turns sign-in on, and signs in. */
async function turnOn(service: Media): Promise<void> {
  await service.json('POST', '/api/settings', { json: { enable_authentication: true, ...account } })
  await signIn(service)
}

async function signIn(service: Media): Promise<void> {
  service.cookies.clear()
  const page = await (await service.call('GET', '/login')).text()
  const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  // Faster than this no person fills in a form.
  timers.jump(1050)
  const json = { username: account.admin_username, password: account.admin_password, captcha_token, honeypot: '' }
  assert.equal((await service.json('POST', '/login', { json })).status, 200)
}

async function create(kind: Permissions, more: object = {}): Promise<Created> {
  const json = { name: 'program', permissions: kind, ...more }
  const made = await media.json<Created>('POST', path, { json })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

/** Calls as a program with a token, without cookies and CSRF tokens. */
function send(request: string, authorization: string, { from = nextAddress(), json, form, cookie }: Sending = {}) {
  const [method = '', place = ''] = request.split(' ')
  return fetch(media.url + place, {
    method,
    redirect: 'manual',
    headers: {
      'x-forwarded-for': from,
      authorization,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(cookie !== undefined && { cookie }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  })
}

async function statusOf(request: string, token: string, sending?: Sending): Promise<number> {
  const response = await send(request, `Bearer ${token}`, sending)
  await response.body?.cancel()
  return response.status
}

test('every route takes tokens with the permissions of the table, and no other', async () => {
  const operations = operationsOf(await openapiDocument())
  const known = new Set(operations.map((one) => `${one.method} ${one.path}`))
  assert.deepEqual(
    Object.keys(least).filter((name) => !known.has(name)),
    [],
  )
  const tokens = Object.fromEntries(
    await Promise.all(permissions.map(async (kind) => [kind, (await create(kind)).token])),
  ) as Record<Permissions, string>
  for (const { method, path: place, access } of operations.filter(
    ({ access }) => access !== 'public' && access !== 'visitor',
  )) {
    const needed = least[`${method} ${place}`]
    for (const kind of permissions) {
      // A body that no route takes: refused for that at last, and for nothing before.
      const wrong = method === 'POST' ? { form: { nothing: 'x' } } : {}
      const request = `${method} ${place.replaceAll(/\{\w+\}/g, 'none')}`
      if (needed === 'full' && kind === 'full' && /remove-all|stats\/reset|ytdlp|logo|backups/.test(place)) continue
      const response = await send(request, `Bearer ${tokens[kind]}`, wrong)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      const detail = isStream ? '' : await response.text()
      if (isStream) await response.body?.cancel()
      const isAllowed = needed !== undefined && permissions.indexOf(kind) >= permissions.indexOf(needed)
      assert.equal(response.status !== 403, isAllowed, `${request} (${access}) with ${kind}: ${detail}`)
      assert.notEqual(response.status, 401, request)
    }
  }
  assert.equal(await statusOf('POST /api/stats/reset', tokens.full), 200)
  assert.equal(await statusOf('GET /api/nothing', tokens.read), 404)
})

test('a program submits a job and downloads the result with its token alone', async () => {
  const { token } = await create('submit', { ip_whitelist: ['192.0.2.0/24'] })
  const form = { url: platform.page('sound.m4a'), type: 'audio', quality: 'max' }
  const from = '192.0.2.5'
  const submitted = await send('POST /api/submit', `Bearer ${token}`, { form, from })
  assert.equal(submitted.status, 200)
  const { id } = (await submitted.json()) as { id: string }
  await media.reach(id, 'analysis_done')
  const file = await send(`GET /download/${id}`, `Bearer ${token}`, { from })
  assert.ok(file.status === 200 && (await file.arrayBuffer()).byteLength > 1000)
  assert.equal(await statusOf(`GET /api/jobs/${id}`, token, { from: '192.0.3.5' }), 403)
  const { tokens } = (await media.json<{ tokens: Record<string, unknown>[] }>('GET', path)).body
  assert.ok(tokens.some((one) => one['last_used_ip'] === from))
  assert.ok(!JSON.stringify(tokens).includes(token))
})

test('a wrong token is refused whatever it looks like, even beside a good cookie, and too many are slowed down', async () => {
  const { token } = await create('read')
  for (const authorization of ["Bearer ' or 1=1 --", 'Bearer', 'Bearer a b', `bearer ${token}x`]) {
    const response = await send('GET /api/jobs', authorization)
    assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'], authorization)
    await response.body?.cancel()
  }
  const wrong = { authorization: 'Bearer hmed_unknown' }
  assert.equal((await media.call('GET', '/api/jobs', { headers: wrong })).status, 401)
  assert.equal((await media.call('GET', '/api/jobs', { headers: { authorization: 'Basic YTpi' } })).status, 200)
  assert.equal(await statusOf(`GET /api/jobs?token=${token}`, 'none'), 401)
  const from = nextAddress()
  for (let index = 0; index < 10; index += 1)
    assert.equal(await statusOf('GET /api/jobs', `hmed_${index}`, { from }), 401)
  assert.equal(await statusOf('GET /api/jobs', 'hmed_x', { from }), 429)
  assert.equal(await statusOf('GET /api/jobs', token, { from }), 200)
})

test('a token goes before the cookie, changes no sign-in, and does not replace the CSRF token of the sign-in form', async () => {
  const [read, full] = [await create('read'), await create('full')]
  const headers = { authorization: `Bearer ${read.token}` }
  assert.equal((await media.call('POST', '/api/stats/reset', { headers })).status, 403)
  assert.equal(await statusOf('POST /api/settings', full.token, { json: { retention_days: 30 } }), 200)
  for (const json of [{ enable_authentication: false }, account])
    assert.equal(await statusOf('POST /api/settings', full.token, { json }), 403)
  assert.equal(await statusOf('POST /login', full.token, { form: { username: 'ada', password: 'x' } }), 403)
  assert.equal(await statusOf(`POST ${path}`, full.token, { json: { name: 'x', permissions: 'full' } }), 403)
})

test('a token expires, and is refused once it is revoked', async () => {
  const [short, kept, gone] = [await create('read', { expires: '30d' }), await create('read'), await create('read')]
  assert.equal((await media.json('DELETE', `${path}/${gone.id}`)).status, 200)
  assert.equal((await media.json('DELETE', `${path}/${gone.id}`)).status, 404)
  assert.equal(await statusOf('GET /api/jobs', gone.token), 401)
  timers.jump(31 * 86_400_000)
  assert.equal(await statusOf('GET /api/jobs', short.token), 401)
  assert.equal(await statusOf('GET /api/jobs', kept.token), 200)
  timers.jump(-31 * 86_400_000)
  await signIn(media)
})

test('revoking a token ends its event stream and leaves those of others', async () => {
  const [first, second] = [await create('read'), await create('read')]
  const [ending, going] = [
    await send('GET /events', `Bearer ${first.token}`),
    await send('GET /events', `Bearer ${second.token}`),
  ]
  const heard = new Response(ending.body).text()
  await media.json('DELETE', `${path}/${first.id}`)
  assert.match(await heard, /authentication_required/)
  const reader = going.body?.getReader()
  assert.equal((await reader?.read())?.done, false)
  await reader?.cancel()
})

test('revoking a token cuts the download that is under way', async () => {
  const job = finishedJob()
  await media.service.app.core.db.insertInto('jobs').values(job).execute()
  const folder = join(media.folder, 'artifacts', job.id)
  await mkdir(folder, { recursive: true })
  // Larger than what fits between the two ends while nobody reads.
  const bytes = 512 * 1_048_576
  await writeFile(join(folder, 'source.m4a'), '')
  await truncate(join(folder, 'source.m4a'), bytes)
  const { token, id } = await create('read')
  const download = await send(`GET /audio-source/${job.id}`, `Bearer ${token}`)
  assert.deepEqual([download.status, download.headers.get('content-length')], [200, String(bytes)])
  await media.json('DELETE', `${path}/${id}`)
  let received = 0
  await assert.rejects(async () => {
    for await (const part of download.body ?? []) received += part.byteLength
  })
  assert.ok(received < bytes)
})

test('what happens with tokens is in the security log, their values are nowhere', async () => {
  const { token, id } = await create('full', { name: 'audited', expires: '90d' })
  assert.equal(await statusOf('GET /api/jobs', token), 200)
  assert.equal(await statusOf('GET /api/jobs', `${token}x`), 401)
  await media.json('DELETE', `${path}/${id}`)
  const { body } = await media.json<{ events: SecurityEvent[] }>('GET', '/api/security-log?search=audited')
  const found = body.events.map(({ kind, username, detail }) => [kind, username, detail].join('|'))
  assert.deepEqual(found, ['token_revoked|ada|', 'token_created|ada|full, expires: 90d'])
  assert.ok(!lines.join('\n').includes(token) && !JSON.stringify(body).includes(token))
})

test('new credentials take the tokens away; while sign-in is off there are none to make, and a token still counts', async () => {
  const before = await create('read')
  await media.json('POST', '/api/settings', { json: account })
  assert.equal(await statusOf('GET /api/jobs', before.token), 401)
  await signIn(media)
  const { token } = await create('read')
  await media.json('POST', '/api/settings', { json: { enable_authentication: false } })
  const closed = await media.json<Answer>('GET', path)
  assert.deepEqual([closed.status, closed.body.error], [409, 'sign_in_off'])
  assert.match(closed.body.detail, /Sign-in is off/)
  assert.equal(await statusOf('GET /api/jobs', token), 200)
  assert.equal(await statusOf('POST /api/stats/reset', token), 403)
})

test('while tokens are switched off there are none: no route, no mention, and a header proves nothing', async () => {
  await using other = await startMedia({ API_TOKENS: 'on' }, { timers })
  await turnOn(other)
  const json = { name: 'program', permissions: 'full' }
  const { token } = (await other.json<Created>('POST', path, { json })).body
  await other.restart({ API_TOKENS: 'off' })
  await eventually(
    async () => (await other.call('GET', '/health')).status,
    (status) => status === 200,
  )
  for (const method of ['GET', 'POST', 'PUT']) {
    const body = method === 'GET' ? {} : { json }
    const known = await other.json<Answer>(method, path, body)
    const unknown = await other.json<Answer>(method, '/api/session/nothing', body)
    assert.deepEqual([known.status, known.body], [404, unknown.body])
  }
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await other.call('POST', '/api/stats/reset', { headers, isBare: true })).status, 403)
  assert.equal((await other.call('GET', '/api/jobs', { headers: { authorization: 'Bearer wrong' } })).status, 200)
  assert.doesNotMatch(await (await other.call('GET', '/openapi.json')).text(), /bearer|session\/tokens/i)
  assert.equal('api_tokens' in (await other.json<object>('GET', '/api/session')).body, false)
  other.cookies.clear()
  assert.equal((await other.call('GET', '/api/jobs', { headers })).status, 401)
  assert.ok(!other.cookies.has(csrfCookie))
})
