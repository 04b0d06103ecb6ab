import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { CookieSnapshot } from '../src/cookies/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import type { ErrorBody } from '../src/problems.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

/** Stands wherever a value stands; nothing that comes out may contain it. */
const secret = 'S3CRETc00kieV4LUE'
const signedIn = `LOGIN_INFO=${secret}; SAPISID=${secret}`
const jar = (size = 0) =>
  `# Netscape HTTP Cookie File\n${'#'.repeat(size)}\n.youtube.com\tTRUE\t/\tTRUE\t4102444800\tLOGIN_INFO\t${secret}\n.youtube.com\tTRUE\t/\tTRUE\t4102444800\tSAPISID\t${secret}\n`

let media: Media
before(async () => {
  media = await startMedia()
})
after(() => media[Symbol.asyncDispose]())

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
async function call<T = CookieSnapshot>(...words: Parameters<Media['json']>): Promise<{ status: number; body: T }> {
  const answer = await media.json<T>(...words)
  assert(!JSON.stringify(answer).includes(secret), 'a value came out')
  return answer
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
const paste = <T = CookieSnapshot>(text: string, platform = 'youtube') =>
  call<T>('POST', `/api/cookies/${platform}/paste`, { json: { text } })

test('every platform has a status, which is missing at first', async () => {
  const { status, body } = await call<CookieSnapshot[]>('GET', '/api/cookies')
  assert.equal(status, 200)
  assert.deepEqual(
    body.map(({ platform, status }) => `${platform} ${status}`),
    ['youtube missing', 'tiktok missing', 'instagram missing', 'facebook missing'],
  )
})

test('an exported file is stored, shown, encrypted and deleted', async () => {
  const { status, body } = await call('POST', '/api/cookies/youtube', { upload: jar() })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.status, body.authenticated, body.cookie_count, body.expires_at, body.domains],
    ['valid', true, 2, 4_102_444_800, ['youtube.com']],
  )
  for (const file of filesIn(media.folder))
    assert(!readFileSync(file, 'latin1').includes(secret), `${file} tells a value`)
  assert.equal((await call<CookieSnapshot[]>('GET', '/api/cookies')).body[0]?.status, 'valid')
  assert.equal((await call('DELETE', '/api/cookies/youtube')).status, 200)
  assert.equal((await call('DELETE', '/api/cookies/youtube')).status, 404)
})

test('an exported file without login cookies is stored with a warning', async () => {
  const { status, body } = await call('POST', '/api/cookies/tiktok', {
    upload: `.tiktok.com\tTRUE\t/\tTRUE\t0\ttt_csrf_token\t${secret}\n`,
  })
  assert.deepEqual([status, body.status, body.missing_login_cookies], [200, 'invalid', ['sid_tt']])
})

test('an oversized, empty or binary upload is refused with the reason', async () => {
  const upload = (content: Uint8Array | string) => call<ErrorBody>('POST', '/api/cookies/youtube', { upload: content })
  assert.equal((await upload(jar(256 * 1024))).status, 413)
  assert.equal((await upload(jar(255 * 1024))).status, 400, 'a line that long is in no jar')
  assert.deepEqual((await upload('')).body.error, 'cookies_empty')
  assert.deepEqual((await upload(Buffer.from([0xff, 0xfe, 0x00]))).body.error, 'cookies_not_utf8')
  assert.deepEqual((await upload('hello there, this is a text')).body.error, 'cookies_unreadable')
  assert.equal((await call('POST', '/api/cookies/youtube', { form: { file: 'x' } })).status, 415)
  assert.equal((await call('POST', '/api/cookies/example', { upload: jar() })).status, 404)
  assert.equal((await call('DELETE', '/api/cookies/example')).status, 404)
})

const pasted: Record<string, string> = {
  'a header': `Cookie: ${signedIn}`,
  'the value of a header': signedIn,
  'curl for bash': `curl 'https://www.youtube.com/feed' -H 'accept: */*' -b '${signedIn}'`,
  'curl for cmd': `curl ^"https://www.youtube.com/feed^" ^\r\n  -H ^"cookie: ${signedIn}^"`,
  fetch: `fetch("https://www.youtube.com/feed", {"headers": {"cookie": "${signedIn}"}, "method": "GET"});`,
  PowerShell: `$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.Cookies.Add((New-Object System.Net.Cookie("LOGIN_INFO", "${secret}", "/", ".youtube.com")))
$session.Cookies.Add((New-Object System.Net.Cookie("SAPISID", "${secret}", "/", ".youtube.com")))
Invoke-WebRequest -UseBasicParsing -Uri "https://www.youtube.com/feed" -WebSession $session`,
  'a JSON array': JSON.stringify(
    ['LOGIN_INFO', 'SAPISID'].map((name) => ({ domain: '.youtube.com', name, value: secret })),
  ),
  'a JSON object': JSON.stringify({
    cookies: ['LOGIN_INFO', '__Secure-3PAPISID'].map((name) => ({ domain: '.youtube.com', name, value: secret })),
  }),
  'a Netscape jar': jar(),
}

test('a pasted export of up to 256 KiB is read, and a larger one is refused as too large', async () => {
  const line = (index: number) => `.youtube.com\tTRUE\t/\tTRUE\t4102444800\tLOGIN_${index}\t${'x'.repeat(2000)}`
  const large = Array.from({ length: 100 }, (_, index) => line(index)).join('\n')
  const login =
    '.youtube.com\tTRUE\t/\tTRUE\t4102444800\tLOGIN_INFO\ta\n.youtube.com\tTRUE\t/\tTRUE\t4102444800\tSAPISID\tb\n'
  assert.equal((await paste(`# Netscape HTTP Cookie File\n${login}${large}`)).status, 200)
  assert.equal((await paste(`${login}${large}\n${large}`)).status, 413)
  await call('DELETE', '/api/cookies/youtube')
})

for (const [name, text] of Object.entries(pasted))
  test(`${name} can be pasted`, async () => {
    const { status, body } = await paste(text)
    assert.deepEqual([status, body.status, body.authenticated, body.cookie_count], [200, 'valid', true, 2])
  })

test('cookies of other sites or without a login are refused, and the stored ones stay', async () => {
  await paste(signedIn)
  const refused = async (text: string) => {
    const { status, body } = await paste<ErrorBody>(text)
    assert.equal(status, 400)
    return body.error
  }
  assert.equal(await refused(`curl 'https://evil.example/' -b '${signedIn}'`), 'cookies_foreign_host')
  assert.equal(
    await refused(`fetch("https://youtube.com.evil.example/", {"headers":{"cookie":"${signedIn}"}})`),
    'cookies_foreign_host',
  )
  assert.equal(await refused(`.example.org\tTRUE\t/\tTRUE\t0\tLOGIN_INFO\t${secret}`), 'cookies_foreign_host')
  assert.equal(await refused(`VISITOR_INFO=${secret}`), 'cookies_no_login_cookies')
  assert.equal(await refused('   '), 'cookies_empty')
  assert.equal(await refused(`${secret} is no cookie`), 'cookies_unreadable')
  assert.equal((await paste(signedIn, 'nowhere')).status, 404)
  assert.equal((await call('POST', '/api/cookies/youtube/paste', { json: {} })).status, 400)
  const long = Array.from({ length: 600 }, (_, index) => `name${index}=${secret}`).join('; ')
  assert.equal(await refused(long), 'cookies_unreadable')
  assert.equal((await call<CookieSnapshot[]>('GET', '/api/cookies')).body[0]?.status, 'valid')
})

test('during a job its cookies exist only in a private file, which is removed afterwards', async () => {
  await using platform = await startPlatform()
  await using place = await temporaryDirectory('cookies')
  const data = join(place.path, 'data')
  await using service = await startServiceProcess('media', {
    DATA_DIR: data,
    LOG_LEVEL: 'trace',
    ...knows(platform.host),
  })
  const csrf = (await fetch(`${service.url}/api/session`)).headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { cookie: csrf, 'x-csrf-token': csrf.split('=')[1] ?? '' }
  const said: string[] = []
  const ask = async <T>(path: string, init: Omit<RequestInit, 'headers'> = {}, media = {}) => {
    const answer = await fetch(`${service.url}${path}`, { ...init, headers: { ...headers, ...media } })
    said.push(await answer.text())
    return JSON.parse(said.at(-1) ?? '') as T
  }
  const paste = { method: 'POST', body: JSON.stringify({ text: signedIn }) }
  await ask('/api/cookies/youtube/paste', paste, { 'content-type': 'application/json' })
  const submission = new URLSearchParams({
    url: platform.page('video.mp4', { pace: 'held' }),
    type: 'video',
    quality: 'max',
  })
  const { id } = await ask<Job>('/api/submit', { method: 'POST', body: submission })
  const copies = () => globSync(join(data, '{work,scratch}/**/cookies-*.txt'))
  const [copy = ''] = await eventually(
    copies,
    ([file]) => file?.includes(id) === true && readFileSync(file, 'utf8') !== '',
  )
  assert.equal(statSync(copy).mode & 0o777, 0o600)
  assert.match(readFileSync(copy, 'utf8'), new RegExp(`LOGIN_INFO\t${secret}`))
  const words = await eventually(
    () => globSync('/proc/[0-9]*/{cmdline,environ}').flatMap((file) => readOrNothing(file)),
    (texts) => texts.some((text) => text.includes(`--cookies=${copy}`)),
  )
  assert(
    words.every((text) => !text.includes(secret)),
    'a command line or environment contains a value',
  )
  const job = () => {
    platform.release()
    return ask<Job>(`/api/jobs/${id}`)
  }
  await eventually(job, ({ status }) => status === 'done', { seconds: 30, everyMs: 1000 })
  assert.deepEqual(copies(), [])
  // What the job worked with goes meanwhile.
  for (const file of filesIn(data))
    for (const text of readOrNothing(file)) assert(!text.includes(secret), `${file} tells a value`)
  await service.stop()
  for (const line of [...said, ...service.stderr, ...service.stdout]) assert(!line.includes(secret), line)
})

/** All files below a folder, of which there are some. */
function filesIn(folder: string): string[] {
  const entries = globSync(join(folder, '**'), { withFileTypes: true }).filter((entry) => entry.isFile())
  assert(entries.length > 1)
  return entries.map(({ parentPath, name }) => join(parentPath, name))
}

function readOrNothing(file: string): string[] {
  try {
    return [readFileSync(file, 'latin1')]
  } catch {
    return []
  }
}
