import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { sql, type Kysely } from 'kysely'
import { createLocalBus } from '@hearth/events'
import { createFastTimers, createLog } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { bothDatabases } from '../../test/intake-fixture.ts'
import { finishedJob, newExport, openTables } from '../../test/job-row.ts'
import { linkTo } from '../../test/share-link.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { ArtifactLedger } from '../artifacts/ledger.ts'
import { openArtifacts } from '../artifacts/open-artifacts.ts'
import type { MediaEvent } from '../events.ts'
import { cancelExport, claimExport, hideExport, insertExport, writeRunning } from '../exports/store.ts'
import { lockJobs } from '../jobs/lock-store.ts'
import { deleteJobRows, findJob, insertJob, setPinned } from '../jobs/store.ts'
import { requestAnalysis } from '../reanalysis/store.ts'
import { defaultSettings, type Settings } from '../settings/schema.ts'
import { insertLink } from '../shares/store.ts'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { JobRow, Tables } from '../tables.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { sweepArtifacts } from '../upkeep/sweep-artifacts.ts'
import { diskReserve, Disks } from './disks.ts'
import { planRoom } from './plan-room.ts'
import { Space } from './space.ts'
import { insertEvictions } from './store.ts'

const hour = 3_600_000

async function openHouse(location: DatabaseLocation) {
  const place = await temporaryDirectory()
  const database = await openTables(location)
  const timers = createFastTimers(1)
  const storage = await openArtifacts({ kind: 'directory', path: undefined }, { dataDirectory: place.path })
  let isDead = false
  const mortal: ArtifactStore = {
    put: (id, name, file) => storage.put(id, name, file),
    removeOne: async (id, name) => !isDead && (await storage.removeOne(id, name)),
    removeJob: async (id) => (isDead ? Promise.reject(new Error('killed')) : storage.removeJob(id)),
    stat: storage.stat.bind(storage),
    open: storage.open.bind(storage),
    withLocalFile: storage.withLocalFile.bind(storage),
    list: storage.list.bind(storage),
    jobs: storage.jobs.bind(storage),
    close: () => storage.close(),
  }
  const artifacts = new ArtifactLedger({ database, storage: mortal, clock: timers })
  const bus = createLocalBus<MediaEvent>()
  const told: string[] = []
  bus.subscribe((event) => told.push('id' in event ? `${event.id} ${event.message}` : event.type))
  let settings: Settings = defaultSettings
  let filesRoom: number | undefined
  class FakeDisks extends Disks {
    override async free() {
      return { ...(await super.free()), ...(filesRoom !== undefined && { files: filesRoom + diskReserve }) }
    }
  }
  const space = new Space({
    database,
    artifacts,
    disks: new FakeDisks({ scratch: place.path, artifactsFolder: place.path }),
    presence: { isMissing: false, isGone: () => Promise.resolve(false) },
    bus,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    settings: () => settings,
    folders: { bytes: () => Promise.resolve(0) },
  })
  const put = async (id: string, name: string, bytes: number) => {
    const file = join(place.path, 'incoming')
    await writeFile(file, Buffer.alloc(bytes, id))
    await artifacts.put(id, name, file)
  }
  return {
    db: database.query,
    now: () => timers.now(),
    artifacts,
    space,
    told,
    put,
    /** Resolves when somebody waits for another one's lock; at once on SQLite, where all wait for one connection. */
    isWaited: async () =>
      database.kind === 'sqlite' ||
      eventually(
        async () =>
          (
            await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
              database.query,
            )
          ).rows.length,
        (count) => count > 0,
      ),
    /** Has the stored files be on their own disk, with so much room. */
    setFilesRoom: (bytes: number) => (filesRoom = bytes),
    set: (more: Partial<Settings>) => (settings = { ...settings, ...more }),
    die: () => (isDead = true),
    async revive() {
      isDead = false
      await sweepArtifacts({ database, artifacts, timers }, { age: 0 })
    },
    /** A finished job with a file, used so many hours ago. */
    async add(hoursAgo: number, bytes: number, more: Partial<JobRow> = {}) {
      const used = timers.now() - hoursAgo * hour
      const job = finishedJob({ last_used_at: used, finished_at: used, filesize_bytes: bytes, ...more })
      await insertJob(database.query, job)
      await put(job.id, 'source.m4a', bytes)
      return job
    },
    /** Makes files count as put an hour ago. */
    age: () =>
      database.query
        .updateTable('artifacts')
        .set({ put_at: timers.now() - hour })
        .execute(),
    async kept(...jobs: readonly JobRow[]): Promise<boolean[]> {
      return Promise.all(
        jobs.map(async ({ id }) => {
          const isThere = (await artifacts.stat(id, 'source.m4a')) !== undefined
          assert.equal((await findJob(database.query, id))?.artifact !== null, isThere)
          return isThere
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      await space.close()
      await storage.close()
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Adds downloads of 10 bytes by their rows alone, and copies of 1 byte to the first of them. */
async function addMany(db: Kysely<Tables>, count: number, copies = 0): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) =>
    finishedJob({ last_used_at: 1000 + index, created_at: 1000 + index }),
  )
  const file = { content_hash: null, is_stored: 1, put_at: -hour }
  const files: ArtifactRow[] = rows.map(({ id }) => ({
    ...file,
    job_id: id,
    name: 'source.m4a',
    folder_id: id,
    kind: 'original',
    bytes: 10,
  }))
  const first = rows[0]?.id ?? ''
  for (let index = 0; index < copies; index += 1)
    files.push({
      ...file,
      job_id: first,
      name: `audio_mp3_${index}.mp3`,
      folder_id: first,
      kind: 'conversion',
      bytes: 1,
    })
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto('jobs')
      .values(rows.slice(at, at + 500))
      .execute()
  for (let at = 0; at < files.length; at += 500)
    await db
      .insertInto('artifacts')
      .values(files.slice(at, at + 500))
      .execute()
  await db
    .insertInto('storage_totals')
    .values([
      { kind: 'original', bytes: 10 * count, files: count },
      { kind: 'conversion', bytes: copies, files: copies },
    ])
    .execute()
}

/** Works that begin with a finished job, as their features begin them. */
const beginnings: Readonly<Record<string, (trx: Kysely<Tables>, id: string) => Promise<unknown>>> = {
  analysis: (trx, id) => requestAnalysis(trx, id, 1),
  export: async (trx, id) => {
    await lockJobs(trx, [id])
    await insertExport(trx, newExport({ job_id: id }))
  },
  pin: (trx, id) => setPinned(trx, id, true),
}

const active = (more: Partial<JobRow> = {}) => finishedJob({ status: 'downloading', artifact: null, ...more })

for (const { name, skip, createLocation } of bothDatabases) {
  test(
    `${name}: what can be made again goes first, then the longest unused, and no more than needed`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const [old, middle, young] = [await house.add(30, 1000), await house.add(20, 1000), await house.add(10, 1000)]
      await house.put(young.id, 'audio_mp3_1.mp3', 400)
      await house.put(middle.id, 'waveform.json', 100)
      await house.put(middle.id, 'stem_whole_vocals.mp3', 300)
      await house.age()
      house.set({ storage_budget_bytes: 3800 })
      assert.equal((await house.space.usage()).used_bytes, 3800)
      const job = active()
      await insertJob(house.db, job)
      await house.space.reserve(job, 450, true)
      assert.equal(await house.artifacts.stat(young.id, 'audio_mp3_1.mp3'), undefined)
      assert.equal(await house.artifacts.stat(middle.id, 'waveform.json'), undefined)
      assert.deepEqual(await house.kept(old, middle, young), [true, true, true])
      await house.space.reserve(job, 900, true)
      assert.deepEqual(await house.kept(old, middle, young), [false, true, true])
      assert.deepEqual(house.told, [`${old.id} The file was deleted to make room`])
      const log = await house.space.evictions(10)
      assert.deepEqual(
        new Set(log.map(({ job_id, kind, bytes }) => `${job_id} ${kind} ${bytes}`)),
        new Set([`${old.id} download 1000`, `${young.id} copies 400`, `${middle.id} copies 100`]),
      )
      const { used_bytes, reserved_bytes } = await house.space.usage()
      assert.deepEqual([used_bytes, reserved_bytes], [2300, 900])
    },
  )

  test(`${name}: pinned, running and shared downloads never go, and then there is no room`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const pinned = await house.add(50, 1000, { pinned: 1 })
    const shared = await house.add(40, 1000)
    const further = await house.add(40, 1000)
    const analysed = await house.add(40, 1000, { analysis_wanted_at: 1 })
    const ended = await house.add(30, 1000)
    await house.put(pinned.id, 'audio_mp3_1.mp3', 100)
    await house.age()
    await insertLink(house.db, linkTo(shared.id), [further.id])
    await insertLink(house.db, linkTo(ended.id, { expires_at: 1 }))
    const job = active()
    await insertJob(house.db, job)
    house.set({ storage_budget_bytes: 5100 })
    await assert.rejects(house.space.reserve(job, 1500, true), (error) => {
      assert.ok(error instanceof MediaFailure)
      assert.equal(error.code, 'no_room')
      assert.match(error.message, /about 1\.5 KiB, and at most 1000 B can be made free of 5\.0 KiB.*unpin or delete/s)
      return true
    })
    const all = [pinned, shared, further, analysed, ended]
    assert.deepEqual(await house.kept(...all), [true, true, true, true, true])
    await house.space.reserve(job, 1000, true)
    assert.deepEqual(await house.kept(...all), [true, true, true, true, false])
    house.set({ storage_budget_bytes: 1000 })
    assert.equal(await house.space.enforce(), false)
    assert.deepEqual(await house.kept(pinned, shared, further, analysed), [true, true, true, true])
  })

  test(`${name}: a download whose file is missing frees nothing, so it does not go`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const missing = await house.add(50, 1000)
    await house.put(missing.id, 'waveform.json', 100)
    await house.put(missing.id, 'stem_whole_vocals.mp3', 700)
    const [old, young] = [await house.add(40, 1000), await house.add(30, 1000)]
    await house.age()
    // As after the storage was accepted without some of the files.
    const lost = ['source.m4a', 'waveform.json']
    for (const file of lost) await house.artifacts.storage.removeOne(missing.id, file)
    const ofMissing = house.db.updateTable('artifacts').set({ bytes: 0 }).where('job_id', '=', missing.id)
    await ofMissing.where('name', 'in', lost).execute()
    house.set({ storage_budget_bytes: 2700 })
    await house.revive()
    const job = active()
    await insertJob(house.db, job)
    await assert.rejects(house.space.reserve(job, 2100, true), /at most 2\.0 KiB can be made free/)
    await house.space.reserve(job, 900, true)
    assert.deepEqual(await house.kept(old, young), [false, true])
    assert.equal((await findJob(house.db, missing.id))?.artifact, 'source.m4a')
    assert.deepEqual(
      (await house.space.evictions(10)).map(({ job_id }) => job_id),
      [old.id],
    )
  })

  test(`${name}: the order is by the rule, and a preview shows it and changes nothing`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const small = await house.add(30, 500, { finished_at: 3000 })
    const large = await house.add(20, 2000, { finished_at: 2000 })
    const early = await house.add(10, 1000, { finished_at: 1000 })
    const first = async (rule: Settings['storage_rule']) => {
      const { downloads, is_enough } = await house.space.preview({ budget_bytes: 3400, rule })
      assert.equal(is_enough, true)
      return downloads.first.map(({ job_id }) => job_id)
    }
    assert.deepEqual(await first('last_used'), [small.id])
    assert.deepEqual(await first('oldest'), [early.id])
    assert.deepEqual(await first('largest'), [large.id])
    assert.deepEqual(await house.kept(small, large, early), [true, true, true])
    const plan = await house.space.preview({ budget_bytes: 100 })
    assert.deepEqual([plan.shortage_bytes, plan.freed_bytes, plan.is_enough], [3400, 3500, true])
    assert.equal((await house.space.preview({ budget_bytes: 0 })).shortage_bytes, 0)
  })

  test(`${name}: jobs that share a file go together, when the last used of them has its turn`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const one = await house.add(50, 1000)
    const middle = await house.add(40, 1000)
    const two = finishedJob({ last_used_at: 5000, finished_at: 5000 })
    await insertJob(house.db, { ...two, last_used_at: (one.last_used_at ?? 0) + 30 * hour })
    await house.artifacts.share(one.id, two.id, ['source.m4a'])
    assert.equal((await house.space.usage()).used_bytes, 2000)
    house.set({ storage_budget_bytes: 1000 })
    assert.equal(await house.space.enforce(), true)
    assert.deepEqual(await house.kept(one, middle, two), [true, false, true])
    house.set({ storage_budget_bytes: 500 })
    assert.equal(await house.space.enforce(), true)
    assert.deepEqual(await house.kept(one, two), [false, false])
    assert.equal((await house.space.usage()).used_bytes, 0)
  })

  test(`${name}: several workers do not promise the same room, and make none twice`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const old = await house.add(50, 1000)
    const newer = await house.add(40, 1000)
    house.set({ storage_budget_bytes: 2500 })
    const jobs = Array.from({ length: 4 }, () => active())
    for (const job of jobs) await insertJob(house.db, job)
    const outcomes = await Promise.allSettled(jobs.map((job) => house.space.reserve(job, 700, true)))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
    assert.deepEqual(await house.kept(old, newer), [false, false])
    const { used_bytes, reserved_bytes } = await house.space.usage()
    assert.deepEqual([used_bytes, reserved_bytes], [0, 2100])
    assert.equal((await house.space.evictions(10)).length, 2)
  })

  test(`${name}: work that begins while a plan is made keeps its file, and another one goes`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    house.set({ storage_budget_bytes: 1000 })
    for (const [work, begin] of Object.entries(beginnings)) {
      const old = await house.add(50, 1000)
      const newer = await house.add(40, 1000)
      const [begun, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const beginning = house.db.transaction().execute(async (trx) => {
        await begin(trx, old.id)
        begun.resolve()
        await ready.promise
      })
      await begun.promise
      const enforcing = house.space.enforce()
      await Promise.race([enforcing, house.isWaited()])
      ready.resolve()
      await beginning
      assert.equal(await enforcing, true, work)
      assert.deepEqual(await house.kept(old, newer), [true, false], work)
      await house.artifacts.removeJob(old.id)
      await deleteJobRows(house.db, [old.id, newer.id], () => Promise.resolve())
    }
  })

  test(`${name}: whoever changes several jobs at once never waits in a circle with an eviction`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const [first, second] = [await house.add(50, 1000), await house.add(40, 1000)]
    house.set({ storage_budget_bytes: 1 })
    const [begun, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const changing = house.db.transaction().execute(async (trx) => {
      await requestAnalysis(trx, second.id, 1)
      begun.resolve()
      await ready.promise
      await requestAnalysis(trx, first.id, 1)
    })
    await begun.promise
    const enforcing = house.space.enforce()
    await Promise.race([enforcing, house.isWaited()])
    ready.resolve()
    await changing
    assert.equal(await enforcing, false)
    assert.deepEqual(await house.kept(first, second), [true, true])
  })

  test(`${name}: an export keeps room while its attempt runs, and no longer, however it ends`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const source = await house.add(50, 1000)
    const other = await house.add(40, 1000)
    house.set({ storage_budget_bytes: 3000 })
    const reserved = async () => (await house.space.usage()).reserved_bytes
    const run = async (bytes: number) => {
      const row = newExport({ job_id: source.id })
      await insertExport(house.db, row)
      const claimed = await claimExport(house.db, { now: house.now(), until: house.now() + hour })
      assert.ok(claimed?.id === row.id)
      if (bytes > 0) await house.space.reserveExport(claimed, { stored: bytes, work: 0, title: 'A title' })
      assert.equal(await reserved(), bytes)
      return claimed
    }
    const first = await run(600)
    const job = active()
    await insertJob(house.db, job)
    await assert.rejects(house.space.reserve(job, 1500, true), /no room/)
    // What is stored is not kept besides.
    await house.put(source.id, `export_${first.id}_1.wav`, 200)
    assert.deepEqual([await reserved(), (await house.space.usage()).used_bytes], [400, 2200])
    await house.put(source.id, `export_${first.id}_2.wav`, 500)
    assert.equal(await reserved(), 0)
    await writeRunning(house.db, first, { status: 'done' })

    await writeRunning(house.db, await run(100), { status: 'failed' })
    assert.equal(await reserved(), 0, 'failed')
    await cancelExport(house.db, (await run(100)).id, 1)
    assert.equal(await reserved(), 0, 'cancelled')
    await hideExport(house.db, (await run(100)).id)
    assert.equal(await reserved(), 0, 'deleted')
    const lost = await run(100)
    await writeRunning(house.db, lost, { lease_until: house.now() - 1 })
    assert.equal(await reserved(), 0, 'lost')
    const again = await claimExport(house.db, { now: house.now(), until: house.now() + hour })
    assert.ok(again?.id === lost.id)
    assert.equal(await reserved(), 0, 'taken by another worker')
    await house.space.reserveExport(lost, { stored: 50, work: 0, title: 'A title' })
    assert.equal(await reserved(), 0, 'an overtaken attempt')
    await house.space.reserveExport(again, { stored: 60, work: 0, title: 'A title' })
    assert.equal(await reserved(), 60)

    // To make room for it another download goes, never its own.
    await house.space.reserveExport(again, { stored: 1000, work: 0, title: 'A title' })
    assert.deepEqual(await house.kept(source, other), [true, false])
    await assert.rejects(house.space.reserveExport(again, { stored: 2000, work: 0, title: 'A title' }), /no room/)
  })

  test(`${name}: an export for whose files on the way the disk has no room is refused`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const size = { stored: 1, work: Number.MAX_SAFE_INTEGER / 2 }
    await assert.rejects(house.space.checkExport(size), /There is no room for this/)
    const row = newExport({ job_id: 'none', status: 'running' })
    await assert.rejects(
      house.space.reserveExport(row, { ...size, title: 'A title' }),
      /not enough space left on the disk/,
    )
  })

  test(`${name}: a full disk of the stored files is seen before anything is downloaded`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const [old, young] = [await house.add(30, 1000), await house.add(20, 1000)]
    const job = active()
    await insertJob(house.db, job)
    house.setFilesRoom(1500)
    assert.equal((await house.space.usage()).files_disk_free_bytes, 1500 + diskReserve)
    await house.space.reserve(job, 1500, false)
    for (const isWritten of [false, true])
      await assert.rejects(house.space.reserve(job, 1600, isWritten), { code: 'disk_full' })
    await assert.rejects(house.space.checkExport({ stored: 1600, work: 0 }), /the disk has room for 1\.5 KiB/)
    await house.space.checkExport({ stored: 1000, work: 5000 })
    assert.deepEqual(await house.kept(old, young), [true, true])
    // With a budget old downloads make room there.
    house.set({ storage_budget_bytes: 1_000_000 })
    await house.space.reserve(job, 1600, true)
    assert.deepEqual(await house.kept(old, young), [false, true])
    await assert.rejects(house.space.reserve(job, 5000, false), { code: 'no_room' })
    assert.deepEqual(await house.kept(young), [true])
  })

  test(`${name}: a kill after files went leaves none of them, and no job that promises one`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const jobs = [await house.add(50, 1000), await house.add(40, 1000)]
    house.set({ storage_budget_bytes: 1000 })
    house.die()
    await house.space.enforce()
    assert.equal((await findJob(house.db, jobs[0]?.id ?? ''))?.artifact, null)
    await house.revive()
    assert.deepEqual(await house.kept(...jobs), [false, true])
    assert.equal((await house.space.usage()).used_bytes, 1000)
    const left: string[] = []
    for await (const { jobId } of house.artifacts.jobs()) left.push(jobId)
    assert.deepEqual(left, [jobs[1]?.id])
  })

  test(`${name}: a plan among 1,300 downloads is bounded, and goes on until there is enough`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    await addMany(house.db, 1300)
    const plan = await house.space.preview({ budget_bytes: 2000 })
    assert.deepEqual([plan.is_complete, plan.downloads.count, plan.downloads.first.length], [false, 1000, 100])
    house.set({ storage_budget_bytes: 2000 })
    assert.equal(await house.space.enforce(), true)
    assert.equal((await house.space.usage()).used_bytes, 2000)
    const left = await house.db.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()
    assert.equal(left.length, 200)
  })

  test(`${name}: a download that can never fit takes none of 1,300, one that can takes 1,200`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    await addMany(house.db, 1300)
    house.set({ storage_budget_bytes: 13_000 })
    const job = active()
    await insertJob(house.db, job)
    const left = async () => {
      const rows = await house.db.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()
      return rows.length
    }
    await assert.rejects(house.space.reserve(job, 13_001, true), /at most 13 KiB can be made free/)
    assert.equal(await left(), 1300)
    await house.space.reserve(job, 12_000, true)
    assert.equal(await left(), 100)
  })

  test(`${name}: no download goes while one of 2,100 copies may`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    await addMany(house.db, 1, 2100)
    house.set({ storage_budget_bytes: 10 })
    assert.equal((await house.space.preview({})).downloads.count, 0)
    assert.equal(await house.space.enforce(), true)
    assert.equal((await house.space.usage()).used_bytes, 10)
    assert.equal((await house.db.selectFrom('jobs').select('artifact').executeTakeFirst())?.artifact, 'source.m4a')
  })

  test(`${name}: a long plan has every download and copy once, in the order of its rule`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    // Many are equal, and some have no value.
    const rows = Array.from({ length: 450 }, (_, index) =>
      finishedJob({
        last_used_at: index % 3 === 0 ? null : 1000 + (index % 7),
        finished_at: 500 + (index % 5),
        filesize_bytes: index % 4 === 0 ? null : 100 + (index % 6),
      }),
    )
    const files = rows.flatMap(({ id }) =>
      (['source.m4a', 'audio_mp3_1.mp3'] as const).map((file) => ({
        job_id: id,
        name: file,
        folder_id: id,
        kind: file === 'source.m4a' ? ('original' as const) : ('conversion' as const),
        bytes: 10,
        content_hash: null,
        is_stored: 1,
        put_at: -hour,
      })),
    )
    for (let at = 0; at < rows.length; at += 150) {
      await house.db
        .insertInto('jobs')
        .values(rows.slice(at, at + 150))
        .execute()
      await house.db
        .insertInto('artifacts')
        .values(files.slice(at * 2, at * 2 + 300))
        .execute()
    }
    const by = (...values: ((row: JobRow) => number | string)[]) =>
      rows
        .toSorted((a, b) => {
          for (const value of values) {
            const [left, right] = [value(a), value(b)]
            if (left !== right) return left < right ? -1 : 1
          }
          return 0
        })
        .map(({ id }) => id)
    const used = (row: JobRow) => row.last_used_at ?? -1
    const finished = (row: JobRow) => row.finished_at ?? 0
    const plan = (rule: Settings['storage_rule']) =>
      planRoom(house.db, { shortage: Number.MAX_SAFE_INTEGER, rule, now: house.now() })
    const ids = async (rule: Settings['storage_rule']) => (await plan(rule)).jobs.map(({ id }) => id)
    assert.deepEqual(
      (await plan('oldest')).copies.map(({ job_id }) => job_id),
      by(used, ({ id }) => id),
    )
    assert.deepEqual(
      await ids('last_used'),
      by(used, finished, ({ id }) => id),
    )
    assert.deepEqual(
      await ids('oldest'),
      by(finished, ({ id }) => id),
    )
    const largest = by(
      ({ filesize_bytes: size }) => size ?? -1,
      ({ id }) => id,
    ).toReversed()
    assert.deepEqual(await ids('largest'), largest)
  })

  test(`${name}: the log takes what went from 5,000 jobs`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const rows = Array.from({ length: 5000 }, (_, index) => ({
      id: `eviction ${index}`,
      evicted_at: 1,
      job_id: `job ${index}`,
      title: 'A title',
      kind: 'copies' as const,
      bytes: 1,
      reason: 'room',
    }))
    await insertEvictions(house.db, rows)
    assert.equal((await house.space.evictions(6000)).length, 5000)
  })
}
