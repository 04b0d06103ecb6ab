import assert from 'node:assert/strict'
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { SoundFormat } from '../src/delivery/formats.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

describe('hearth media get', () => {
  const timers = createFastTimers(1)
  let platform: Platform
  let media: Media
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>

  before(async () => {
    platform = await startPlatform()
    media = await startMedia({ ...knows(platform.host), API_TOKENS: 'on' }, { timers })
    folder = await temporaryDirectory()
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const get = (args: readonly string[], environment: Record<string, string> = {}) =>
    runCommand(['media', 'get', ...args], { HEARTH_MEDIA_URL: media.url, ...environment })
  const jobs = async () => (await media.json<Job[]>('GET', '/api/jobs')).body
  const download = async (id: string, query = '') =>
    Buffer.from(await (await media.call('GET', `/download/${id}${query}`)).arrayBuffer())

  test('prints the id of the new job', async () => {
    const { code, stdout, stderr } = await get([platform.page('sound.opus', { id: 'one' })])
    assert.deepEqual([code, stderr], [0, ''])
    const [job] = await jobs()
    assert.deepEqual([stdout, job?.type, job?.quality], [`${job?.id}\n`, 'audio', 'max'])
    await media.reach(job?.id ?? '', 'analysis_done')
  })

  test('waits, and writes the file under its own name; what the service has is not downloaded again', async () => {
    const target = join(folder.path, 'into')
    await mkdir(target)
    const address = platform.page('sound.opus', { id: 'two', title: 'Uh/Oh' })
    const { code, stdout, stderr } = await get([address, '-o', target])
    assert.equal(code, 0, stderr)
    const files = await readdir(target)
    assert.deepEqual(stdout, `${join(target, files[0] ?? '')}\n`)
    assert.match(files.join(), /^Uh Oh.*\.mp3$/)
    const [job] = await jobs()
    assert.ok((await readFile(stdout.trim())).equals(await download(job?.id ?? '')))
    const before = (await jobs()).length
    const again = await get([address, '--format', 'original', '-o', join(target, 'same.opus')])
    assert.deepEqual([again.code, again.stdout], [0, `${join(target, 'same.opus')}\n`])
    assert.match(again.stderr, /has it already; --again/)
    assert.equal((await jobs()).length, before)
    assert.ok((await readFile(join(target, 'same.opus'))).equals(await download(job?.id ?? '', '?format=original')))
    // Another medium of the same name does not take its place.
    const twin = await get([platform.page('sound.opus', { id: 'twin', title: 'Uh/Oh' }), '-o', target])
    assert.equal(twin.stdout, stdout.replace(/\.mp3\n$/, ' (2).mp3\n'))
    assert.equal((await get([address, '-o', '/dev/null'])).code, 0)
    assert.equal((await stat('/dev/null')).isCharacterDevice(), true)
    await symlink(join(target, 'same.opus'), join(target, 'link.opus'))
    assert.equal((await get([address, '-o', join(target, 'link.opus')])).code, 0)
    assert.equal((await lstat(join(target, 'link.opus'))).isSymbolicLink(), true)
    assert.ok((await readFile(join(target, 'same.opus'))).equals(await download(job?.id ?? '')))
    assert.deepEqual(
      (await readdir(target)).filter((name) => name.startsWith('.')),
      [],
    )
    const length = (await jobs()).length
    assert.equal((await get([address, '--again', '--wait'])).code, 0)
    assert.equal((await jobs()).length, length + 1)
  })

  test('a video, in another quality', async () => {
    const { code, stdout } = await get([
      platform.page('video.mp4', { id: 'film' }),
      '--video',
      '--quality',
      'small',
      '--wait',
    ])
    assert.equal(code, 0)
    const { body } = await media.json<Job>('GET', `/api/jobs/${stdout.trim()}`)
    assert.deepEqual([body.type, body.quality, body.status], ['video', 'small', 'done'])
  })

  test('the help names every format that the service makes', async () => {
    const { stdout } = await get(['--help'])
    for (const format of SoundFormat.options) assert.match(stdout, new RegExp(`"${format}"`))
  })

  test('what goes wrong is one line, exit code 1 and no file', async () => {
    const cases: [string[], RegExp][] = [
      [['https://example.org/video'], /^hearth: .*(?:example\.org|platform)/],
      [
        [platform.page('gone.opus', { id: 'gone' }), '-o', join(folder.path, 'gone.mp3')],
        /^hearth: the download failed: /,
      ],
      [[platform.page('sound.opus', { id: 'one' }), '-o', join(folder.path, 'none/at-all.mp3')], /--output: .*none/],
      [['x', '--server', 'ftp://here'], /--server: ftp:\/\/here/],
      [['x', '--server', 'http://127.0.0.1:9'], /127\.0\.0\.1:9 does not answer/],
      [['x', '--token-file', join(folder.path, 'no-token')], /--token-file: cannot read/],
    ]
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await get(args)
      assert.deepEqual([code, stdout], [1, ''], stderr)
      const lines = stderr.split('\n').filter((line) => line.startsWith('hearth: '))
      assert.equal(lines.length, 1, stderr)
      assert.match(lines[0] ?? '', message)
    }
    assert.deepEqual(
      (await readdir(folder.path)).filter((name) => name !== 'into'),
      [],
    )
  })

  test('with sign-in on, a token with the permissions submit is needed and enough', async () => {
    const account = { admin_username: 'ada', admin_password: 'correct horse battery' }
    await media.json('POST', '/api/settings', { json: { enable_authentication: true, ...account } })
    const refused = await get([platform.page('sound.opus', { id: 'three' })])
    assert.deepEqual([refused.code, /--token-file/.test(refused.stderr)], [1, true], refused.stderr)
    media.cookies.clear()
    const page = await (await media.call('GET', '/login')).text()
    const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    // Faster than this no person fills in a form.
    timers.jump(1050)
    const json = { username: 'ada', password: account.admin_password, captcha_token, honeypot: '' }
    assert.equal((await media.json('POST', '/login', { json })).status, 200)
    const { body } = await media.json<{ token: string }>('POST', '/api/session/tokens', {
      json: { name: 'script', permissions: 'submit', expires: '30d', ip_whitelist: [] },
    })
    const file = join(folder.path, 'token')
    await writeFile(file, `${body.token}\n`)
    const { code, stdout, stderr } = await get([platform.page('sound.opus', { id: 'three' }), '-o', '-'], {
      HEARTH_MEDIA_TOKEN_FILE: file,
    })
    assert.equal(code, 0, stderr)
    assert.ok(stdout.length > 10_000)
    assert.doesNotMatch(stderr, new RegExp(body.token))
  })
})
