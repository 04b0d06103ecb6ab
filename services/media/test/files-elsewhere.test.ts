import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows } from './in-process.ts'
import { startObjectStorage } from './object-storage/object-storage.ts'
import { startPlatform } from './platform/platform.ts'

test('with object storage a job completes and leaves nothing on this machine', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const storage = await startObjectStorage({ directory: join(folder.path, 'storage'), buckets: ['media'] })
  const data = join(folder.path, 'data')
  try {
    await using service = await startServiceProcess('media', {
      ...knows(platform.host),
      DATA_DIR: data,
      ARTIFACTS: `s3://media/home?endpoint=${storage.url}`,
      AWS_ACCESS_KEY_ID: storage.keys.id,
      AWS_SECRET_ACCESS_KEY: storage.keys.secret,
    })
    const session = await fetch(`${service.url}/api/session`)
    const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
    const headers = { cookie: `${csrfCookie}=${token}`, 'x-csrf-token': token }
    const form = { url: platform.page('sound.opus'), type: 'audio', quality: 'max' }
    const submitted = await fetch(`${service.url}/api/submit`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    })
    const { id } = (await submitted.json()) as Job
    const jobNow = async () => (await (await fetch(`${service.url}/api/jobs/${id}`)).json()) as Job
    await eventually(jobNow, ({ status }) => status === 'analysis_done', { seconds: 120, everyMs: 1000 })
    const whole = Buffer.from(await (await fetch(`${service.url}/download/${id}`)).arrayBuffer())
    assert.ok(whole.length > 10_000)
    const part = await fetch(`${service.url}/download/${id}`, { headers: { range: 'bytes=10-19' } })
    assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, whole.subarray(10, 20)])
    const lists = () => storage.calls.filter(({ operation }) => operation === 'ListObjectsV2').length
    const before = lists()
    const played = await fetch(`${service.url}/audio-source/${id}`, { headers: { range: 'bytes=10-19' } })
    assert.deepEqual([played.status, Buffer.from(await played.arrayBuffer())], [206, whole.subarray(10, 20)])
    assert.equal(lists(), before, 'the player finds the MP3 without a list of the stored files')
    assert.equal(existsSync(join(data, 'artifacts')), false)
    const removed = await fetch(`${service.url}/api/jobs/remove-all`, { method: 'POST', headers })
    assert.equal(removed.status, 200)
    assert.equal((await fetch(`${service.url}/download/${id}`)).status, 404)
    assert.deepEqual(
      storage.calls.some(({ operation }) => operation.startsWith('Delete')),
      true,
    )
  } finally {
    await storage.close()
  }
})
