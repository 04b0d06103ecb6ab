import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { storageFixture, testFolder } from '../../test/object-storage/storage-fixture.ts'
import { ArtifactMissing, ArtifactNameRefused, ArtifactStorageFailed, type ArtifactStore } from './artifact-store.ts'
import { openArtifacts } from './open-artifacts.ts'

interface StoreFixture {
  readonly store: ArtifactStore
  /** Writes a file outside the store. */
  readonly file: (content: string | Uint8Array) => Promise<string>
  /** Puts a content, and returns the job's id. */
  readonly putNew: (name: string, content: string | Uint8Array) => Promise<string>
}

async function bench(t: TestContext, open: (folder: string) => Promise<ArtifactStore>): Promise<StoreFixture> {
  const folder = await testFolder(t)
  const store = await open(folder)
  const file = async (content: string | Uint8Array) => {
    const path = join(folder, randomUUID())
    await writeFile(path, content)
    return path
  }
  return {
    store,
    file,
    async putNew(name, content) {
      const jobId = randomUUID()
      await store.put(jobId, name, await file(content))
      return jobId
    },
  }
}

const stores = {
  directory: (t: TestContext) =>
    bench(t, (folder) => openArtifacts({ kind: 'directory', path: undefined }, { dataDirectory: folder })),
  'object storage': async (t: TestContext) => {
    const { open } = await storageFixture(t)
    return await bench(t, () => open())
  },
}

async function textOf(stream: Readable | undefined): Promise<string> {
  assert.ok(stream !== undefined)
  return (await buffer(stream)).toString()
}

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

for (const [kind, make] of Object.entries(stores)) {
  describe(`artifacts in ${kind}`, () => {
    test('closing waits for pending puts and accepts no more', async (t) => {
      const { store, file } = await make(t)
      const [jobId, path, late] = [randomUUID(), await file('content'), await file('late')]
      const arrival = store.put(jobId, 'audio.mp3', path)
      await store.close()
      assert.equal(existsSync(path), false)
      await arrival
      await assert.rejects(store.put(jobId, 'late.mp3', late), ArtifactStorageFailed)
      assert.equal(existsSync(late), true)
    })

    test('a file can be put, found, read and removed', async (t) => {
      const { store, file } = await make(t)
      const jobId = randomUUID()
      const path = await file('audio')
      // Downloaded media has the day of its publication.
      await utimes(path, 1_000_000_000, 1_000_000_000)
      const before = Date.now() - 2000
      await store.put(jobId, 'source.webm', path)
      await store.put(jobId, 'a.mp3', await file('mp3'))
      assert.equal(existsSync(path), false)
      assert.deepEqual(await store.list(jobId), ['a.mp3', 'source.webm'])
      const facts = await store.stat(jobId, 'source.webm')
      assert.ok(facts !== undefined && facts.size === 5 && facts.modifiedAt >= before && facts.modifiedAt <= Date.now())
      assert.match(facts.tag, /^[A-Za-z0-9-]+$/)
      assert.deepEqual(await store.stat(jobId, 'source.webm'), facts)
      assert.equal(await textOf(await store.open(jobId, 'source.webm')), 'audio')
      assert.equal(await store.removeOne(jobId, 'a.mp3'), true)
      assert.equal(await store.removeOne(jobId, 'a.mp3'), false)
      assert.deepEqual(await store.list(jobId), ['source.webm'])
      await store.removeJob(jobId)
      assert.deepEqual([await store.list(jobId), await store.stat(jobId, 'source.webm')], [[], undefined])
    })

    test('a missing artifact is not an error, except when a file is required', async (t) => {
      const { store, putNew } = await make(t)
      for (const jobId of [randomUUID(), await putNew('other', 'x')]) {
        assert.equal(await store.stat(jobId, 'none'), undefined)
        assert.equal(await store.open(jobId, 'none'), undefined)
        assert.equal(await store.open(jobId, 'none', { first: 0, last: 1 }), undefined)
        assert.equal(await store.removeOne(jobId, 'none'), false)
        await assert.rejects(
          store.withLocalFile(jobId, 'none', () => assert.fail()),
          ArtifactMissing,
        )
      }
      await store.removeJob(randomUUID())
      assert.deepEqual(await store.list(randomUUID()), [])
    })

    test('ranges of an artifact can be read', async (t) => {
      const { store, putNew } = await make(t)
      const jobId = await putNew('a', '0123456789')
      const read = async (first: number, last: number) => await textOf(await store.open(jobId, 'a', { first, last }))
      assert.equal(await read(0, 0), '0')
      assert.equal(await read(3, 5), '345')
      assert.equal(await read(9, 9), '9')
      assert.equal(await read(8, 100), '89')
      assert.equal(await read(0, 9), '0123456789')
      for (const [first, last] of [
        [10, 10],
        [10, 99],
        [5, 4],
        [-1, 3],
        [0.5, 3],
        [0, Number.NaN],
      ] as const) {
        await assert.rejects(store.open(jobId, 'a', { first, last }), RangeError, `${first}-${last}`)
      }
    })

    test('an empty file can be stored', async (t) => {
      const { store, putNew } = await make(t)
      const jobId = await putNew('a', '')
      assert.equal((await store.stat(jobId, 'a'))?.size, 0)
      assert.equal(await textOf(await store.open(jobId, 'a')), '')
      assert.equal(await store.withLocalFile(jobId, 'a', (path) => readFile(path, 'utf8')), '')
    })

    test('a replaced artifact has the new content, and open readers finish the old one', async (t) => {
      const { store, file, putNew } = await make(t)
      const older = 'older'.repeat(400_000)
      const jobId = await putNew('a', older)
      const tag = (await store.stat(jobId, 'a'))?.tag
      const stream = await store.open(jobId, 'a')
      await store.put(jobId, 'a', await file('newer'))
      assert.equal(await textOf(await store.open(jobId, 'a')), 'newer')
      assert.equal(await textOf(stream), older)
      assert.notEqual((await store.stat(jobId, 'a'))?.tag, tag)
      assert.equal(await store.withLocalFile(jobId, 'a', (path) => readFile(path, 'utf8')), 'newer')
    })

    test('20 MB are returned intact, in ranges, as a file, and during removal', async (t) => {
      const { store, putNew } = await make(t)
      const content = randomBytes(20 * 1024 * 1024 + 17)
      const jobId = await putNew('large', content)
      const hash = await store.withLocalFile(jobId, 'large', async (path) => hashOf(await readFile(path)))
      assert.equal(hash, hashOf(content))
      const part = await buffer((await store.open(jobId, 'large', { first: 9_999_999, last: 12_345_678 }))!)
      assert.ok(part.equals(content.subarray(9_999_999, 12_345_679)))
      const stream = (await store.open(jobId, 'large'))!
      const chunks: Buffer[] = []
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (chunks.length === 0) await store.removeJob(jobId)
        chunks.push(chunk)
      }
      assert.equal(hashOf(Buffer.concat(chunks)), hashOf(content))
      assert.equal(await store.stat(jobId, 'large'), undefined)
    })

    test('a stream can be abandoned at any time', async (t) => {
      const { store, putNew } = await make(t)
      const jobId = await putNew('a', randomBytes(3_000_000))
      const unread = (await store.open(jobId, 'a'))!
      unread.destroy()
      const begun = (await store.open(jobId, 'a'))!
      for await (const _chunk of begun) break
      assert.deepEqual([unread.destroyed, begun.destroyed], [true, true])
      assert.equal((await buffer((await store.open(jobId, 'a'))!)).length, 3_000_000)
    })

    test('jobs with artifacts are listed with their latest change', async (t) => {
      const { store, putNew } = await make(t)
      assert.deepEqual(await Array.fromAsync(store.jobs()), [])
      const jobIds = []
      for (let index = 0; index < 5; index += 1) jobIds.push(await putNew('a', 'x'))
      await store.removeJob(jobIds.pop()!)
      await store.removeOne(jobIds.pop()!, 'a')
      const jobs = await Array.fromAsync(store.jobs())
      assert.deepEqual(jobs.map(({ jobId }) => jobId).sort(), jobIds.sort())
      for (const { jobId, modifiedAt } of jobs) {
        assert.equal(modifiedAt, (await store.stat(jobId, 'a'))?.modifiedAt, jobId)
      }
    })

    test('every method accepts only valid job ids and names', async (t) => {
      const { store, file } = await make(t)
      const path = await file('x')
      const jobId = randomUUID()
      const badJobs = ['', '..', '.', 'a', `${jobId}/..`, jobId.toUpperCase(), `${jobId}\n`, '../../etc', `/${jobId}`]
      const badNames = ['', '.', '..', '.hidden', 'A', 'a/b', 'a\\b', 'a\0', 'ä', 'a b', '-a', 'a'.repeat(82), 'a\n']
      const places = [...badJobs.map((bad) => [bad, 'a'] as const), ...badNames.map((bad) => [jobId, bad] as const)]
      for (const [job, name] of places) {
        const refused = async (work: Promise<unknown>) =>
          await assert.rejects(work, ArtifactNameRefused, `${job} ${name}`)
        await refused(store.put(job, name, path))
        await refused(store.stat(job, name))
        await refused(store.open(job, name))
        await refused(store.withLocalFile(job, name, () => assert.fail()))
        await refused(store.removeOne(job, name))
        if (job !== jobId) {
          await refused(store.list(job))
          await refused(store.removeJob(job))
        }
      }
      assert.equal(await readFile(path, 'utf8'), 'x')
      await store.put(jobId, `a${'.'.repeat(80)}`, path)
    })

    test('a failed put changes nothing', async (t) => {
      const { store, file, putNew } = await make(t)
      const jobId = await putNew('a', 'older')
      const target = await file('target')
      const link = `${target}-link`
      await symlink(target, link)
      const folder = `${target}-folder`
      await mkdir(folder)
      for (const path of [`${target}-none`, link, folder]) await assert.rejects(store.put(jobId, 'a', path), path)
      assert.equal(await textOf(await store.open(jobId, 'a')), 'older')
      assert.ok(existsSync(link) && existsSync(folder) && existsSync(target))
    })

    test('simultaneous puts leave one complete content per name', async (t) => {
      const { store, file } = await make(t)
      const jobId = randomUUID()
      const contents = Array.from({ length: 12 }, (_, index) => String(index).padStart(2, '0').repeat(50_000))
      const puts = contents.map(async (content, index) => store.put(jobId, `n${index % 2}`, await file(content)))
      await Promise.all(puts)
      for (const name of ['n0', 'n1']) assert.ok(contents.includes(await textOf(await store.open(jobId, name))))
      const removals = contents.map(async (content, index) => {
        if (index % 3 === 0) await store.removeJob(jobId)
        else if (index % 3 === 1) await store.removeOne(jobId, 'n0')
        else await store.put(jobId, 'n0', await file(content))
      })
      await Promise.all(removals)
      await store.removeJob(jobId)
      assert.deepEqual(await store.list(jobId), [])
    })

    test('an error thrown while using a file is passed on', async (t) => {
      const { store, putNew } = await make(t)
      const jobId = await putNew('a.mp3', 'x')
      const reason = new Error('the tool failed')
      const work = async (path: string) => {
        assert.ok(path.endsWith('a.mp3'))
        throw reason
      }
      await assert.rejects(store.withLocalFile(jobId, 'a.mp3', work), reason)
      assert.equal(await store.withLocalFile(jobId, 'a.mp3', (path) => readFile(path, 'utf8')), 'x')
    })
  })
}
