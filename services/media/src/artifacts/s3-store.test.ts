import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { OperatorError } from '@hearth/runtime'
import { storageFixture } from '../../test/object-storage/storage-fixture.ts'
import { parseArtifactLocation } from './artifact-location.ts'
import { ArtifactMissing, ArtifactStorageFailed } from './artifact-store.ts'
import { openArtifacts } from './open-artifacts.ts'

async function storeBench(t: TestContext, copyBytes?: number) {
  const bench = await storageFixture(t)
  const store = await bench.open(copyBytes)
  const put = async (jobId: string, name: string, content: string | Uint8Array) => {
    const path = join(bench.folder, randomUUID())
    await writeFile(path, content)
    await store.put(jobId, name, path)
  }
  const count = (operation: string) => bench.storage.calls.filter((call) => call.operation === operation).length
  const copies = async () => {
    const [folder = ''] = await readdir(join(bench.dataDirectory, 'artifact-copies'))
    const names = await readdir(join(bench.dataDirectory, 'artifact-copies', folder))
    return names.filter((name) => !name.startsWith('service.lock')).length
  }
  return { ...bench, store, put, count, copies }
}

describe('opening object storage', () => {
  test('without keys, with wrong ones or for a missing bucket is refused, without revealing a key', async (t) => {
    const { storage, dataDirectory, environment, setting } = await storageFixture(t)
    const secret = 'very-secret-value'
    for (const [where, keys, message] of [
      [setting, { AWS_SECRET_ACCESS_KEY: secret }, /^AWS_ACCESS_KEY_ID: /],
      [setting, { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: '' }, /^AWS_SECRET_ACCESS_KEY: /],
      [setting, { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: secret }, /^ARTIFACTS: .*InvalidAccessKeyId/],
      [setting, { ...environment, AWS_SECRET_ACCESS_KEY: secret }, /^ARTIFACTS: .*SignatureDoesNotMatch/],
      [setting.replace('media', 'other'), environment, /^ARTIFACTS: .*NoSuchBucket/],
    ] as const) {
      const opened = openArtifacts(parseArtifactLocation(where), { dataDirectory, environment: keys })
      await assert.rejects(opened, (error: Error) => {
        assert.ok(error instanceof OperatorError)
        assert.match(error.message, message)
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(secret))
        return true
      })
    }
    assert.ok(storage.calls.length >= 3)
  })

  test('that is unreachable succeeds, and later calls report it', async (t) => {
    const { storage, open } = await storageFixture(t)
    await storage.close()
    const store = await open()
    const jobId = randomUUID()
    const calls = [
      () => store.stat(jobId, 'a'),
      () => store.open(jobId, 'a'),
      () => store.list(jobId),
      () => store.removeJob(jobId),
    ]
    for (const call of calls) {
      await assert.rejects(call(), (error: Error) => {
        assert.ok(error instanceof ArtifactStorageFailed)
        assert.match(error.message, /ECONNREFUSED/)
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(storage.keys.secret))
        return true
      })
    }
  })
})

test('small files use one request, large ones multipart; other objects in the bucket are ignored', async (t) => {
  const { store, storage, put, count } = await storeBench(t)
  const jobId = randomUUID()
  await put(jobId, 'small', 'x')
  assert.deepEqual([count('PutObject'), count('UploadPart')], [1, 0])
  await put(jobId, 'large', randomBytes(17 * 1024 * 1024))
  assert.deepEqual([count('UploadPart'), count('CompleteMultipartUpload'), storage.files.uploads.size], [3, 1, 0])
  assert.deepEqual(storage.files.keys('media'), [`home/${jobId}/large`, `home/${jobId}/small`])
  const outside = storage.files.get('media', `home/${jobId}/small`)
  const strays = [`home/${jobId}/Odd Name`, `home/${jobId}/deeper/a`, `home/no-job/a`, `homes/${randomUUID()}/a`, 'a']
  for (const [index, key] of strays.entries()) {
    const file = storage.files.newFile()
    await writeFile(file, 'stray')
    await storage.files.put({ ...outside, key }, { file, size: 5, md5: `${index}`, checksum: undefined })
  }
  assert.deepEqual(await store.list(jobId), ['large', 'small'])
  assert.deepEqual(
    (await Array.fromAsync(store.jobs())).map((job) => job.jobId),
    [jobId],
  )
  await store.removeJob(jobId)
  assert.deepEqual(storage.files.keys('media'), strays.sort())
})

test('listings span many pages', async (t) => {
  const { store, storage, put } = await storeBench(t)
  storage.pageSize = 2
  const jobIds = Array.from({ length: 3 }, () => randomUUID())
  for (const jobId of jobIds) for (const name of ['a', 'b', 'c']) await put(jobId, name, name)
  const jobs = await Array.fromAsync(store.jobs())
  assert.deepEqual(
    jobs.map(({ jobId }) => jobId),
    jobIds.sort(),
  )
  assert.deepEqual(await store.list(jobIds[1]!), ['a', 'b', 'c'])
})

describe('storage failures', () => {
  test('that are temporary go unnoticed', async (t) => {
    const { store, storage, put } = await storeBench(t)
    const jobId = randomUUID()
    storage.fail('PutObject', { status: 503, code: 'SlowDown' }, 'reset')
    await put(jobId, 'a', 'content')
    storage.fail('GetObject', { status: 500, code: 'InternalError' }, 'reset')
    assert.equal((await buffer((await store.open(jobId, 'a'))!)).toString(), 'content')
    storage.fail('UploadPart', { status: 500, code: 'InternalError' }, 'reset')
    await put(jobId, 'large', Buffer.alloc(9 * 1024 * 1024))
    assert.equal((await store.stat(jobId, 'large'))?.size, 9 * 1024 * 1024)
  })

  test('during a put leave no artifact and no parts, and keep the file', async (t) => {
    const { store, storage, folder } = await storeBench(t)
    const jobId = randomUUID()
    const path = join(folder, 'large')
    await writeFile(path, Buffer.alloc(20 * 1024 * 1024))
    const refusal = { status: 403, code: 'AccessDenied' }
    storage.fail('UploadPart', refusal)
    await assert.rejects(store.put(jobId, 'a', path), ArtifactStorageFailed)
    assert.ok(existsSync(path))
    assert.deepEqual([await store.stat(jobId, 'a'), storage.files.uploads.size], [undefined, 0])
    await store.put(jobId, 'a', path)
    assert.equal((await store.stat(jobId, 'a'))?.size, 20 * 1024 * 1024)
  })

  test('in the middle of a download end the reader and leave no copy', async (t) => {
    const { store, storage, put, copies } = await storeBench(t)
    const jobId = randomUUID()
    await put(jobId, 'a', randomBytes(1_000_000))
    const cut = { after: 100_000, how: 'break' } as const
    storage.fail('GetObject', cut, cut)
    await assert.rejects(buffer((await store.open(jobId, 'a'))!), ArtifactStorageFailed)
    await assert.rejects(
      store.withLocalFile(jobId, 'a', () => assert.fail()),
      ArtifactStorageFailed,
    )
    assert.equal(await copies(), 0)
    assert.equal(await store.withLocalFile(jobId, 'a', async (path) => (await readFile(path)).length), 1_000_000)
  })

  test('during removal are reported', async (t) => {
    const { store, storage, put } = await storeBench(t)
    const jobId = randomUUID()
    await put(jobId, 'a', 'x')
    storage.fail('DeleteObjects', { status: 403, code: 'AccessDenied' })
    await assert.rejects(store.removeJob(jobId), ArtifactStorageFailed)
    storage.fail('ListObjectsV2', { status: 403, code: 'AccessDenied' })
    await assert.rejects(Array.fromAsync(store.jobs()), ArtifactStorageFailed)
  })
})

describe('local copies', () => {
  test('are shared, reused, and never older than the content', async (t) => {
    const { store, put, count } = await storeBench(t)
    const jobId = randomUUID()
    await put(jobId, 'a', 'one')
    const read = () => store.withLocalFile(jobId, 'a', (path) => readFile(path, 'utf8'))
    assert.deepEqual(await Promise.all([read(), read(), read()]), ['one', 'one', 'one'])
    assert.equal(await read(), 'one')
    assert.equal(count('GetObject'), 1)
    await put(jobId, 'a', 'two')
    assert.equal(await read(), 'two')
    await store.removeOne(jobId, 'a')
    await assert.rejects(read(), ArtifactMissing)
  })

  test('are evicted least recently used first, but never while in use', async (t) => {
    const { store, put, count, copies } = await storeBench(t, 2500)
    const jobId = randomUUID()
    for (const name of ['a', 'b', 'c', 'd']) await put(jobId, name, Buffer.alloc(1000, name))
    const read = (name: string) => store.withLocalFile(jobId, name, (path) => readFile(path, 'utf8'))
    for (const name of ['a', 'b', 'a', 'c']) await read(name)
    assert.deepEqual([await copies(), count('GetObject')], [2, 3])
    await read('a')
    assert.equal(count('GetObject'), 3)
    await store.withLocalFile(jobId, 'a', async (path) => {
      for (const name of ['b', 'c', 'd']) await read(name)
      assert.equal(await readFile(path, 'utf8'), 'a'.repeat(1000))
    })
    await put(jobId, 'large', Buffer.alloc(9000))
    assert.equal((await read('large')).length, 9000)
    assert.ok((await copies()) <= 2)
  })

  test('are removed with the artifact, at the latest after their last use', async (t) => {
    const { store, put, copies } = await storeBench(t)
    const jobId = randomUUID()
    await put(jobId, 'a', 'x')
    await put(jobId, 'b', 'x')
    await store.withLocalFile(jobId, 'b', async () => undefined)
    await store.withLocalFile(jobId, 'a', async (path) => {
      await store.removeJob(jobId)
      assert.equal(await readFile(path, 'utf8'), 'x')
      assert.equal(await copies(), 1)
    })
    assert.equal(await copies(), 0)
  })

  test('of a dead process are removed, those of a running one are kept', async (t) => {
    const { store, put, dataDirectory, open } = await storeBench(t)
    const jobId = randomUUID()
    await put(jobId, 'a', 'x')
    await store.withLocalFile(jobId, 'a', async () => undefined)
    const place = join(dataDirectory, 'artifact-copies')
    const [living = ''] = await readdir(place)
    const dead = join(place, 'of-dead')
    await mkdir(dead)
    await writeFile(join(dead, 'copy'), 'x')
    const longAgo = new Date(Date.now() - 3_600_000)
    for (const folder of [dead, join(place, living)]) await utimes(folder, longAgo, longAgo)
    await open()
    assert.ok(!existsSync(dead))
    assert.equal(await store.withLocalFile(jobId, 'a', (path) => readFile(path, 'utf8')), 'x')
    await store.close()
    assert.ok(!existsSync(join(place, living)))
  })
})
