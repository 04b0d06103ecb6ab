import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, nextAddress, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { emptyContent, type Workbench } from '../src/workbench/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('wrong settings end with one line that names them, exit code 1 and no changes', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ FORWARDED_ALLOW_IPS: '*' }, /FORWARDED_ALLOW_IPS: must not be \*/],
    [{ FORWARDED_ALLOW_IPS: 'nowhere' }, /FORWARDED_ALLOW_IPS: /],
    [{ FORWARDED_ALLOW_IPS: '10.0.0.1', TRUSTED_PROXIES: '10.0.0.2' }, /TRUSTED_PROXIES: /],
    [{ EXTRA_PLATFORM_HOSTS: 'vimeo=media.home' }, /EXTRA_PLATFORM_HOSTS: /],
    [{ OUTBOUND_ALLOW: 'a b' }, /OUTBOUND_ALLOW: /],
    [{ ARTIFACTS: 's3://bucket' }, /AWS_ACCESS_KEY_ID: /],
    [{ ARTIFACTS: 'ftp://bucket' }, /ARTIFACTS: /],
    [{ QUEUE_SIZE: '0' }, /QUEUE_SIZE: /],
    [{ WORKERS: 'many' }, /WORKERS: /],
    [{ YTDLP_PATH: 'yt-dlp' }, /YTDLP_PATH: /],
    [{ STEMSVC_BASE_URL: 'lalal' }, /STEMSVC_BASE_URL: /],
  ]
  await Promise.all(
    cases.map(async ([environment, message]) => {
      await using folder = await temporaryDirectory()
      const result = await runCommand(['media', 'serve'], {
        DATA_DIR: join(folder.path, 'd'),
        BIND_PORT: '0',
        ...environment,
      })
      assert.deepEqual([result.code, result.stdout], [1, ''], JSON.stringify(environment))
      assert.match(result.stderr, message)
      assert.equal(result.stderr.trim().split('\n').length, 1)
    }),
  )
})

test('a second start on the same data is refused; so is a worker without a shared database', async () => {
  await using folder = await temporaryDirectory()
  await using service = await startServiceProcess('media', { DATA_DIR: folder.path })
  const second = await runCommand(['media', 'serve'], { DATA_DIR: folder.path, BIND_PORT: '0' })
  assert.deepEqual([second.code, /in use/.test(second.stderr)], [1, true])
  const worker = await runCommand(['media', 'worker'], { DATA_DIR: join(folder.path, 'other') })
  assert.deepEqual([worker.code, /DATABASE_URL: /.test(worker.stderr)], [1, true])
  assert.equal(await service.stop(), 0)
})

test('a stop returns running jobs to the queue in time, and the next start continues them', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const environment = { ...knows(platform.host), DATA_DIR: folder.path }
  const first = await startServiceProcess('media', environment)
  const session = await fetch(`${first.url}/api/session`)
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const response = await fetch(`${first.url}/api/submit`, {
    method: 'POST',
    headers: { cookie, 'x-csrf-token': cookie.split('=')[1] ?? '' },
    body: new URLSearchParams({
      url: platform.page('video.mp4', { pace: 'held' }),
      type: 'audio',
      quality: 'max',
    }),
  })
  const { id } = (await response.json()) as Job
  // From another address each time: one may ask only so often a minute.
  const jobAt = async (url: string) => {
    const headers = { 'x-forwarded-for': nextAddress() }
    return (await (await fetch(`${url}/api/jobs/${id}`, { headers })).json()) as Job
  }
  await eventually(
    () => platform.waiting,
    (count) => count > 0,
  )
  assert.equal(await first.stop(), 0)
  await using second = await startServiceProcess('media', environment)
  await eventually(
    () => platform.waiting,
    (count) => count > 0,
  )
  platform.release()
  await eventually(
    () => jobAt(second.url),
    ({ status }) => status === 'analysis_done',
    { seconds: 60 },
  )
})

test('a locked-out user gets a new password that works at once', async () => {
  await using media = await startMedia()
  await media.call('GET', '/api/session')
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: 'forgotten long ago' }
  assert.equal((await media.call('POST', '/api/settings', { json })).status, 200)
  const { code, stdout, stderr } = await runCommand(['media', 'reset-admin-password'], { DATA_DIR: media.folder })
  assert.match(stderr, /^new password of ada, valid at once; all sessions have ended:\n$/)
  assert.deepEqual([code, /^[a-z0-9-]{20,}\n$/.test(stdout)], [0, true])
  media.cookies.clear()
  const page = await (await media.call('GET', '/login')).text()
  const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await new Promise((resolve) => setTimeout(resolve, 1050))
  const signIn = { username: 'ada', password: stdout.trim(), captcha_token, honeypot: '' }
  assert.equal((await media.call('POST', '/login', { json: signIn })).status, 200)
})

test('a backup of a running service restores everything except files, and needs the same key', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Kept' }))
  const job = await media.reach(id, 'analysis_done')
  const cues = [{ id: 'c', name: 'Drop', at: 2 }]
  await media.json('PUT', `/api/jobs/${id}/workbench`, { json: { revision: 0, ...emptyContent, cues } })
  const file = join(media.folder, 'backup')
  const made = await runCommand(['media', 'backup', file], { DATA_DIR: media.folder })
  assert.equal(made.code, 0, made.stderr)
  assert.equal((await runCommand(['media', 'restore', file], { DATA_DIR: media.folder })).code, 1)
  const check = await runCommand(['media', 'restore', '--check', file], { DATA_DIR: media.folder })
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /backup of media from 20[^]+^ +1 jobs$[^]+can be restored: \d+ rows\n$/m)
  await using other = await temporaryDirectory()
  const foreign = await runCommand(['media', 'restore', file], { DATA_DIR: join(other.path, 'foreign') })
  assert.deepEqual([foreign.code, /key/.test(foreign.stderr)], [1, true])
  assert.equal(existsSync(join(other.path, 'foreign')), false, 'a refused restore leaves nothing')
  const rightKey = { DATA_DIR: join(other.path, 'foreign'), SECRET_KEY_FILE: join(media.folder, 'secret.key') }
  const second = await runCommand(['media', 'restore', file], rightKey)
  assert.equal(second.code, 0, second.stderr)
  const key = join(media.folder, 'secret.key')
  const target = { DATA_DIR: join(other.path, 'data'), SECRET_KEY_FILE: key }
  const restored = await runCommand(['media', 'restore', file], target)
  assert.equal(restored.code, 0, restored.stderr)
  await using restarted = await startServiceProcess('media', target)
  const jobs = (await (await fetch(`${restarted.url}/api/jobs`)).json()) as Job[]
  assert.deepEqual(
    jobs.map(({ id, status, bpm }) => [id, status, bpm]),
    [[job.id, 'analysis_done', job.bpm]],
  )
  const workbench = (await (await fetch(`${restarted.url}/api/jobs/${id}/workbench`)).json()) as Workbench
  assert.deepEqual([workbench.revision, workbench.cues], [1, cues])
  await writeFile(file, 'damaged')
  assert.equal((await runCommand(['media', 'restore', file], target)).code, 1)
})

test('doctor lists the tools and their versions', async () => {
  const { stdout } = await runCommand(['doctor'])
  assert.match(stdout, /yt-dlp.*\d{4}\.\d\d/)
  assert.match(stdout, /ffmpeg/)
})
