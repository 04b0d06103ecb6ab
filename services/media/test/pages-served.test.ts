import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compressionProblems, rawReader } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { readPicture } from '../src/pictures/picture.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('every page and file of the application is served, with a CSRF token, and unknown ones are not', async () => {
  await using media = await startMedia()
  for (const path of ['/', '/settings', '/statistics']) {
    media.cookies.clear()
    const response = await media.call('GET', path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path)
    assert.ok(media.cookies.has(csrfCookie), path)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src 'self' 'nonce-[\w-]+'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    await response.arrayBuffer()
  }
  const files: [string, RegExp][] = [
    ['/favicon.ico', /image\/(?:vnd.microsoft.icon|x-icon)/],
    ['/docs', /text\/html/],
    ['/redoc', /text\/html/],
    ['/openapi.json', /application\/json/],
    ['/health', /application\/json/],
  ]
  for (const [path, type] of files) {
    const response = await media.call('GET', path)
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-type') ?? '', type, path)
    await response.arrayBuffer()
  }
  for (const path of ['/api/none', '/download/none', '/none.js', '/.env', '/events/none'])
    assert.equal((await media.call('GET', path)).status, 404, path)
})

interface Manifest {
  readonly id: string
  readonly start_url: string
  readonly scope: string
  readonly display: string
  readonly icons: readonly {
    readonly src: string
    readonly type: string
    readonly sizes: string
    readonly purpose: string
  }[]
  readonly share_target: {
    readonly action: string
    readonly method: string
    readonly params: Readonly<Record<string, string>>
  }
}

test('phones can install the application, also from its sign-in page, and share addresses to it', async () => {
  await using media = await startMedia()
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: 'tall-giraffe-on-ice-7' }
  assert.equal((await media.json('POST', '/api/settings', { json })).status, 200)
  media.cookies.clear()
  assert.match(await (await media.call('GET', '/login')).text(), /<link rel="manifest" href="\/manifest\.webmanifest"/)
  const { status, body: manifest } = await media.json<Manifest>('GET', '/manifest.webmanifest')
  assert.equal(status, 200)
  assert.deepEqual([manifest.id, manifest.start_url, manifest.scope, manifest.display], ['/', '/', '/', 'standalone'])
  for (const wanted of ['192x192 any', '512x512 any', '512x512 maskable']) {
    const icon = manifest.icons.find(
      ({ sizes, purpose, type }) => `${sizes} ${purpose}` === wanted && type === 'image/png',
    )
    const response = await media.call('GET', icon?.src ?? '/none')
    assert.equal(response.status, 200, wanted)
    const picture = readPicture(new Uint8Array(await response.arrayBuffer()))
    assert.equal(`${picture?.width}x${picture?.height}`, wanted.split(' ')[0])
  }
  const { action, method, params } = manifest.share_target
  assert.deepEqual([action, method, params['url'], params['text']], ['/', 'GET', 'url', 'text'])
})

test('a job’s page exists as long as the job, and other addresses are not pages', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const job = await media.submit(platform.page('sound.m4a', { title: 'One', id: 'one' }))
  assert.equal((await media.call('GET', `/job/${job.id}`)).status, 200)
  assert.equal((await media.call('HEAD', `/job/${job.id}`)).status, 200)
  for (const path of ['/job/none', `/job/${job.id}x`, `/job/${job.id}/more`, '/nowhere', '/settings/more']) {
    const response = await media.call('GET', path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
    assert.match(await response.text(), /<div id="root">/, 'the application says what is not there')
    assert.equal((await media.call('HEAD', path)).status, 404, path)
  }
  await media.reach(job.id, 'analysis_done')
  assert.equal((await media.call('POST', '/api/jobs/remove-all')).status, 200)
  assert.equal((await media.call('GET', `/job/${job.id}`)).status, 404)
})

test('the OpenAPI document is sent compressed', async () => {
  await using media = await startMedia()
  const faults = await compressionProblems(rawReader(media.url), [
    '/openapi.json',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/start.js',
    '/docs',
    '/redoc',
    '/redoc/style.css',
  ])
  assert.deepEqual(faults, [])
})
