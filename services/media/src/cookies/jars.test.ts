import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { createManualClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { openEgressProxy } from '../tools/egress-proxy.ts'
import { CookieError } from './cookie.ts'
import { readCookieText } from './cookie-text.ts'
import { createCookieJars } from './jars.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { migrate, openDatabase } from '@hearth/database'
import { parseNetscape } from './netscape-text.ts'
import { CookieSnapshot } from './schema.ts'

const now = Date.UTC(2027, 0, 1)
const end = now / 1000 + 3600
const signedIn = readCookieText(`.instagram.com\tTRUE\t/\tTRUE\t${end}\tsessionid\tSECRETVALUE`, 'instagram')

async function openJars() {
  const run = await temporaryDirectory('jars')
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const clock = createManualClock(now)
  const jars = createCookieJars({ db: database.query, sealer: createSealer(Buffer.alloc(32, 1)), clock })
  return {
    jars,
    db: database.query,
    run: run.path,
    clock,
    async [Symbol.asyncDispose]() {
      await database.close()
      await run[Symbol.asyncDispose]()
    },
  }
}

test('a jar is stored, described, replaced and deleted', async () => {
  await using box = await openJars()
  const { jars } = box
  assert.deepEqual(
    (await jars.describeAll()).map(({ status }) => status),
    ['missing', 'missing', 'missing', 'missing'],
  )
  assert.equal(await jars.read('instagram'), undefined)
  const saved = await jars.save('instagram', signedIn)
  assert.deepEqual(CookieSnapshot.parse(saved), saved)
  assert.deepEqual([saved.status, saved.expires_at, saved.cookie_count], ['valid', end, 1])
  assert(!JSON.stringify(saved).includes('SECRETVALUE'))
  assert.deepEqual(await jars.read('instagram'), signedIn)
  const replaced = await jars.save('instagram', readCookieText('csrftoken=x', 'instagram'))
  assert.deepEqual([replaced.status, replaced.missing_login_cookies], ['invalid', ['sessionid']])
  assert.deepEqual([await jars.remove('instagram'), await jars.remove('instagram')], [true, false])
  assert.equal((await jars.describe('instagram')).present, false)
})

test('a stored jar is encrypted for its platform only', async () => {
  await using box = await openJars()
  await box.jars.save('instagram', signedIn)
  const row = await box.db.selectFrom('cookie_jars').selectAll().executeTakeFirstOrThrow()
  assert(!JSON.stringify(row).includes('SECRETVALUE') && !JSON.stringify(row).includes('sessionid'))
  await box.db
    .insertInto('cookie_jars')
    .values({ ...row, platform: 'tiktok' })
    .execute()
  await assert.rejects(box.jars.read('tiktok'), (error) => error instanceof CookieError && error.fault === 'unreadable')
  assert.deepEqual(
    (await box.jars.describeAll()).map(({ status }) => status),
    ['missing', 'invalid', 'valid', 'missing'],
  )
})

test('a run gets a private copy that is removed however it ends', async () => {
  await using box = await openJars()
  await box.jars.save('instagram', signedIn)
  const used = await Promise.all(
    [1, 2].map((number) =>
      box.jars.withPrivateCopy('instagram', box.run, async (path) => {
        assert(path !== undefined)
        assert.deepEqual(parseNetscape(await readFile(path, 'utf8')), signedIn)
        assert.equal((await stat(path)).mode & 0o777, 0o600)
        await writeFile(path, `rewritten by run ${number}`)
        return path
      }),
    ),
  )
  assert.equal(new Set(used).size, 2)
  await assert.rejects(
    box.jars.withPrivateCopy('instagram', box.run, () => Promise.reject(new Error('the tool failed'))),
    /the tool failed/,
  )
  assert.deepEqual(await readdir(box.run), [])
  assert.deepEqual(await box.jars.read('instagram'), signedIn)
})

test('a run gets no cookies that do not sign in', async () => {
  await using box = await openJars()
  const given = () => box.jars.withPrivateCopy('instagram', box.run, async (path) => path)
  assert.equal(await given(), undefined)
  await box.jars.save('instagram', readCookieText('csrftoken=x', 'instagram'))
  assert.equal(await given(), undefined)
  await box.jars.save('instagram', signedIn)
  assert.notEqual(await given(), undefined)
  box.clock.advance(3_600_000)
  assert.equal(await given(), undefined)
  assert.equal((await box.jars.describe('instagram')).status, 'expired')
  await box.db.updateTable('cookie_jars').set({ content_sealed: 'broken' }).execute()
  assert.equal(await given(), undefined)
})

test('yt-dlp sends the cookies of its copy, and the jar stays unchanged', async (t) => {
  await using box = await openJars()
  const cookies = readCookieText(
    `.youtube.com\tTRUE\t/\tFALSE\t0\tLOGIN_INFO\ta"b c:=\n#HttpOnly_.youtube.com\tTRUE\t/\tFALSE\t4102444800\tSAPISID\txyz`,
    'youtube',
  )
  await box.jars.save('youtube', cookies)
  let sent: string | undefined
  const server = createServer((request, response) => {
    sent ??= request.headers.cookie
    response.writeHead(200, { 'content-type': 'video/mp4', 'set-cookie': 'added=1; Max-Age=1000' }).end('media')
  })
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const allow = createOutboundAllow([`www.youtube.com:${port}`])
  const policy = createOutboundPolicy(allow, { resolver: async () => ['127.0.0.1'] })
  await using proxy = await openEgressProxy({ policy })
  const after = await box.jars.withPrivateCopy('youtube', box.run, async (path = '') => {
    const child = spawn(
      'yt-dlp',
      `--ignore-config --no-plugin-dirs --no-cache-dir --use-extractors generic --proxy ${proxy.url} --cookies`
        .split(' ')
        .concat(path, '-o', join(box.run, 'source.%(ext)s'), '--', `http://www.youtube.com:${port}/file.mp4`),
      { env: { PATH: process.env['PATH'], HOME: box.run }, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal(child.exitCode, 0, stderr)
    return readFile(path, 'utf8')
  })
  assert.deepEqual(sent?.split('; ').sort(), ['LOGIN_INFO=a"b c:=', 'SAPISID=xyz'])
  assert.match(after, /\tadded\t1/)
  assert.deepEqual(await box.jars.read('youtube'), cookies)
  assert.deepEqual(await readdir(box.run), ['source.mp4'])
})
