import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buffer } from 'node:stream/consumers'
import type { Database, DatabaseLocation } from '@hearth/database'
import type { Transaction } from 'kysely'
import { createFastTimers } from '@hearth/runtime'
import { createRandom, temporaryDirectory } from '@hearth/testing'
import { bothDatabases } from '../../test/intake-fixture.ts'
import { finishedJob, openTables } from '../../test/job-row.ts'
import { insertJob } from '../jobs/store.ts'
import type { Tables } from '../tables.ts'
import { sweepArtifacts } from '../upkeep/sweep-artifacts.ts'
import { ArtifactMissing, type ArtifactStore } from './artifact-store.ts'
import { ArtifactLedger } from './ledger.ts'
import { readTotals } from './totals-store.ts'
import { openArtifacts } from './open-artifacts.ts'

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex')

/** A storage and a database that stop like those of a killed process: before or after a step, and at every step from then on. */
function createMortal(storage: ArtifactStore, database: Database<Tables>) {
  let left = Infinity
  let isAfter = false
  const begin = () => {
    left -= 1
    if (left < 0 || (left === 0 && !isAfter)) throw new Error('killed')
  }
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    begin()
    const result = await work()
    if (left <= 0) throw new Error('killed')
    return result
  }
  const mortal: ArtifactStore = {
    put: (id, name, file) => step(() => storage.put(id, name, file)),
    removeOne: (id, name) => step(() => storage.removeOne(id, name)),
    removeJob: (id) => step(() => storage.removeJob(id)),
    stat: storage.stat.bind(storage),
    open: storage.open.bind(storage),
    withLocalFile: storage.withLocalFile.bind(storage),
    list: storage.list.bind(storage),
    jobs: storage.jobs.bind(storage),
    close: () => Promise.resolve(),
  }
  const query = new Proxy(database.query, {
    get(target, name) {
      if (left <= 0) throw new Error('killed')
      if (name === 'transaction')
        return () => ({
          execute: (work: (trx: Transaction<Tables>) => Promise<unknown>) =>
            step(() => target.transaction().execute(work)),
        })
      if (name === 'updateTable' || name === 'deleteFrom') begin()
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return {
    mortal,
    mortalDatabase: { ...database, query },
    dieAt: (steps: number, after: boolean) => {
      left = steps
      isAfter = after
    },
  }
}

/** A storage that takes no file, as a full disk; or takes it and says that it failed, as a storage that answers too late. */
const createFull = (storage: ArtifactStore, isLate: boolean): ArtifactStore => ({
  ...storage,
  async put(id, name, file) {
    if (isLate) await storage.put(id, name, file)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  },
  stat: storage.stat.bind(storage),
})

async function openHouse(location: DatabaseLocation) {
  const place = await temporaryDirectory()
  const database = await openTables(location)
  const timers = createFastTimers(1)
  const storage = await openArtifacts({ kind: 'directory', path: undefined }, { dataDirectory: place.path })
  const { mortal, mortalDatabase, dieAt } = createMortal(storage, database)
  const open = (under: ArtifactStore) => new ArtifactLedger({ database, storage: under, clock: timers })
  const ledger = open(storage)
  return {
    database,
    db: database.query,
    storage,
    ledger,
    timers,
    open,
    doomed: new ArtifactLedger({ database: mortalDatabase, storage: mortal, clock: timers }),
    dieAt,
    async file(content: string): Promise<string> {
      const path = join(place.path, randomUUID())
      await writeFile(path, content)
      return path
    },
    async addJob() {
      const job = finishedJob()
      await insertJob(database.query, job)
      return job
    },
    sweep: () => sweepArtifacts({ database, artifacts: ledger, timers }, { age: 0 }),
    async [Symbol.asyncDispose]() {
      await storage.close()
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

async function contentOf(ledger: ArtifactLedger, id: string, name = 'source.m4a'): Promise<string | undefined> {
  const content = await ledger.open(id, name)
  return content === undefined ? undefined : (await buffer(content)).toString()
}

/** Every stored file with its size, whoever has it. */
async function stored(storage: ArtifactStore): Promise<{ files: string[]; bytes: number }> {
  const files: string[] = []
  let bytes = 0
  for await (const folder of storage.jobs())
    for (const file of folder.files) {
      files.push(`${folder.jobId}/${file.name}`)
      bytes += file.size
    }
  return { files: files.toSorted(), bytes }
}

/** Asserts that record and storage say the same: no stray file, no row without one, true totals. */
async function checkTruth(database: Database<Tables>, storage: ArtifactStore): Promise<void> {
  const rows = await database.query.selectFrom('artifacts').selectAll().execute()
  const { files, bytes } = await stored(storage)
  assert.deepEqual(files, [...new Set(rows.map((row) => `${row.folder_id}/${row.name}`))].toSorted())
  assert.ok(rows.every(({ is_stored }) => is_stored === 1))
  assert.deepEqual(await database.query.selectFrom('departing_artifacts').selectAll().execute(), [])
  const totals = await readTotals(database.query)
  assert.equal(
    totals.reduce((sum, total) => sum + total.bytes, 0),
    bytes,
  )
  assert.equal(
    totals.reduce((sum, total) => sum + total.files, 0),
    files.length,
  )
}

for (const { name, skip, createLocation } of bothDatabases) {
  test(`${name}: jobs with the same content share one file, and the last one takes it along`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, database, storage } = house
    const [one, two, other] = [randomUUID(), randomUUID(), randomUUID()]
    const hash = hashOf('same')
    await ledger.putOnce(one, 'source.m4a', { file: await house.file('same'), hash })
    await ledger.putOnce(two, 'source.m4a', { file: await house.file('same'), hash })
    await ledger.putOnce(other, 'source.m4a', { file: await house.file('else'), hash: hashOf('else') })
    await ledger.put(two, 'trim_0_1000.wav', await house.file('trim'))
    assert.equal((await stored(storage)).files.length, 3)
    await checkTruth(database, storage)
    await ledger.removeJob(one)
    assert.equal(await contentOf(ledger, one), undefined)
    assert.equal(await contentOf(ledger, two), 'same')
    assert.deepEqual(await ledger.list(one), [])
    assert.deepEqual(await ledger.list(two), ['source.m4a', 'trim_0_1000.wav'])
    await checkTruth(database, storage)
    await ledger.removeJob(two)
    assert.equal((await stored(storage)).files.length, 1)
    await checkTruth(database, storage)
  })

  test(`${name}: the record says which of two files is newer, whatever storage and clock say`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, storage, timers } = house
    const { id } = await house.addJob()
    await ledger.put(id, 'source.m4a', await house.file('sound'))
    timers.jump(-3_600_000)
    await ledger.put(id, 'trim_0_1000.wav', await house.file('trim'))
    // As a copy of the storage without its times.
    await storage.put(id, 'source.m4a', await house.file('sound'))
    const timeOf = async (file: string) => (await ledger.stat(id, file))?.modifiedAt ?? NaN
    assert.ok((await timeOf('trim_0_1000.wav')) >= (await timeOf('source.m4a')))
    timers.jump(7_200_000)
    await ledger.put(id, 'source.m4a', await house.file('another'))
    assert.ok((await timeOf('trim_0_1000.wav')) < (await timeOf('source.m4a')))
  })

  test(`${name}: a job that stores anew overwrites no file that another one shares`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, database, storage } = house
    const [one, two] = [randomUUID(), randomUUID()]
    await ledger.putOnce(one, 'source.m4a', { file: await house.file('first'), hash: hashOf('first') })
    assert.equal(await ledger.share(one, two, ['source.m4a', 'thumbnail.jpg']), true)
    await ledger.put(one, 'source.m4a', await house.file('second'))
    assert.deepEqual([await contentOf(ledger, one), await contentOf(ledger, two)], ['second', 'first'])
    await ledger.removeJob(one)
    await ledger.put(one, 'source.m4a', await house.file('third'))
    assert.deepEqual([await contentOf(ledger, one), await contentOf(ledger, two)], ['third', 'first'])
    await checkTruth(database, storage)
  })

  test(`${name}: nothing is shared that the storage does not have as the record says`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, storage } = house
    const [one, two] = [randomUUID(), randomUUID()]
    await ledger.putOnce(one, 'source.m4a', { file: await house.file('same'), hash: hashOf('same') })
    await storage.put(one, 'source.m4a', await house.file('damaged'))
    await ledger.putOnce(two, 'source.m4a', { file: await house.file('same'), hash: hashOf('same') })
    assert.equal(await contentOf(ledger, two), 'same')
  })

  test(
    `${name}: files of an earlier version are read as before, and counted by the first upkeep`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const { ledger, storage, database } = house
      const job = finishedJob({ audio_hash: hashOf('old') })
      await insertJob(house.db, job)
      await storage.put(job.id, 'source.m4a', await house.file('old'))
      await storage.put(job.id, 'trim_0_1000.wav', await house.file('trim'))
      assert.equal(await contentOf(ledger, job.id), 'old')
      assert.deepEqual(await ledger.list(job.id), ['source.m4a', 'trim_0_1000.wav'])
      await house.sweep()
      await checkTruth(database, storage)
      const again = randomUUID()
      await ledger.putOnce(again, 'source.m4a', { file: await house.file('old'), hash: hashOf('old') })
      assert.equal((await stored(storage)).files.length, 2)
    },
  )

  test(`${name}: files that come back after a restore are there for all that shared them`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, storage } = house
    const [one, two] = [finishedJob(), finishedJob()]
    for (const job of [one, two]) await insertJob(house.db, job)
    await ledger.putOnce(one.id, 'source.m4a', { file: await house.file('same'), hash: hashOf('same') })
    await ledger.share(one.id, two.id, ['source.m4a'])
    await storage.removeJob(one.id)
    await house.sweep()
    assert.deepEqual([await contentOf(ledger, one.id), await contentOf(ledger, two.id)], [undefined, undefined])
    await storage.put(one.id, 'source.m4a', await house.file('same'))
    await house.sweep()
    assert.deepEqual([await contentOf(ledger, one.id), await contentOf(ledger, two.id)], ['same', 'same'])
  })

  test(`${name}: a storage that is full keeps what was there, and the record with it`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, database, storage } = house
    const [one, two, three] = [finishedJob(), finishedJob(), finishedJob()]
    for (const job of [one, two, three]) await insertJob(house.db, job)
    await ledger.putOnce(one.id, 'source.m4a', { file: await house.file('first'), hash: hashOf('first') })
    await ledger.share(one.id, three.id, ['source.m4a'])
    for (const isLate of [false, true])
      for (const { id } of [one, two, three]) {
        const file = await house.file('a longer one')
        const full = house.open(createFull(storage, isLate))
        await assert.rejects(full.put(id, 'source.m4a', file), { code: 'ENOSPC' })
        if (!isLate) assert.equal(await readFile(file, 'utf8'), 'a longer one')
        assert.equal(await contentOf(ledger, id), id === two.id ? undefined : 'first')
        await checkTruth(database, storage)
      }
  })

  test(
    `${name}: an attempt that was overtaken takes nothing from the newer one, however it ends`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const { ledger, database, storage } = house
      for (const isThereBefore of [false, true]) {
        const { id } = await house.addJob()
        if (isThereBefore) await ledger.put(id, 'source.m4a', await house.file('before'))
        const overtaken = house.open({
          ...createFull(storage, false),
          async put() {
            await ledger.put(id, 'source.m4a', await house.file('the newer one'))
            throw new Error('the connection broke')
          },
        })
        await assert.rejects(overtaken.put(id, 'source.m4a', await house.file('old')), /connection broke/)
        assert.equal(await contentOf(ledger, id), 'the newer one')
        await checkTruth(database, storage)
      }
    },
  )

  test(`${name}: a file whose job is removed while it arrives is not reported as stored`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { ledger, database, storage } = house
    const { id } = await house.addJob()
    const slow = house.open({
      ...createFull(storage, false),
      async put(job, name, file) {
        await ledger.removeJob(id)
        await storage.put(job, name, file)
      },
      removeOne: storage.removeOne.bind(storage),
    })
    await assert.rejects(slow.put(id, 'source.m4a', await house.file('late')), ArtifactMissing)
    await checkTruth(database, storage)
  })

  test(
    `${name}: a deletion that another process finished long ago takes nothing of a job that stores again`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const { ledger, database, storage } = house
      const { id } = await house.addJob()
      await ledger.put(id, 'source.m4a', await house.file('before'))
      const places = await database.query.transaction().execute((trx) => ledger.dropJob(trx, id))
      await ledger.clear(places)
      await ledger.put(id, 'source.m4a', await house.file('again'))
      // With the list that it read before.
      await ledger.clear(places)
      assert.equal(await contentOf(ledger, id), 'again')
      await checkTruth(database, storage)
    },
  )

  test(
    `${name}: a kill at any step loses no file, leaves no stray one, and the totals are true`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const { ledger, doomed, database, storage, db } = house
      const random = createRandom(5)
      const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
      const jobs = Array.from({ length: 5 }, () => finishedJob())
      for (const job of jobs) await insertJob(db, job)
      const expected = new Map<string, string>()
      for (let round = 0; round < 150; round += 1) {
        const { id } = pick(jobs)
        const [content, act] = [pick(['alpha', 'beta']), pick(['put', 'once', 'remove', 'share', 'trim'] as const)]
        const before = expected.get(id)
        const source = pick(jobs).id
        const work = async () => {
          if (act === 'put') await doomed.put(id, 'source.m4a', await house.file(content))
          if (act === 'once')
            await doomed.putOnce(id, 'source.m4a', { file: await house.file(content), hash: hashOf(content) })
          if (act === 'remove') await doomed.removeJob(id)
          if (act === 'trim') await doomed.put(id, 'trim_0_1000.wav', await house.file(content))
          return act === 'share' && doomed.share(source, id, ['source.m4a'])
        }
        house.dieAt(pick([1, 2, 3, 4, 5, 6]), random() < 0.5)
        const outcome = await work().then(
          (isShared) => ({ isShared }),
          () => undefined,
        )
        house.dieAt(Infinity, false)
        const now = await contentOf(ledger, id)
        if (outcome === undefined) {
          // Killed: either the step counts or it does not.
          const after = act === 'remove' ? undefined : act === 'put' || act === 'once' ? content : before
          assert.ok([before, after].includes(now), `${act}: ${now} is neither ${before} nor ${after}`)
        } else if (act === 'put' || act === 'once') assert.equal(now, content)
        else if (act === 'remove') assert.equal(now, undefined)
        else if (act === 'share' && outcome.isShared) assert.equal(now, expected.get(source))
        else assert.equal(now, before)
        if (now === undefined) expected.delete(id)
        else expected.set(id, now)
        await house.sweep()
        for (const job of jobs) assert.equal(await contentOf(ledger, job.id), expected.get(job.id), act)
        await checkTruth(database, storage)
      }
    },
  )
}
