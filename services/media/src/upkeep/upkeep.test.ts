import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rmdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, createManualClock, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { finishedJob } from '../../test/job-row.ts'
import { linkTo } from '../../test/share-link.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { ArtifactLedger } from '../artifacts/ledger.ts'
import { openArtifacts } from '../artifacts/open-artifacts.ts'
import { migrations } from '../database/migrations/index.ts'
import { acceptStorage } from './accept-storage.ts'
import { isStorageThere } from './find-storage.ts'
import { StorageMark } from '../artifacts/storage-mark.ts'
import { StoragePresence } from '../artifacts/presence.ts'
import type { JobRow, Tables } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { findJob, insertJob } from '../jobs/store.ts'
import { WorkFolders } from '../jobs/work-folders.ts'
import { defaultSettings } from '../settings/schema.ts'
import { Shares, type ShareDependencies } from '../shares/shares.ts'
import { insertLink } from '../shares/store.ts'
import { goingOn } from './store.ts'
import { createUpkeep } from './upkeep.ts'

const day = 86_400_000
const hour = 3_600_000
const noMark = new StorageMark({ folder: undefined, dataDirectory: '' })

async function openHouse(retentionDays: number) {
  const place = await temporaryDirectory()
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const db = database.query
  // The upkeep has run for an hour, and the files are made before its present.
  const clock = createManualClock(Date.now() - hour + 60_000)
  const timers = { ...systemTimers, ...clock }
  const storage = await openArtifacts({ kind: 'directory', path: undefined }, { dataDirectory: place.path })
  const artifacts = new ArtifactLedger({ database, storage, clock: timers })
  const bus = createLocalBus<MediaEvent>()
  const told: unknown[] = []
  bus.subscribe((event) => told.push(event))
  const presence = new StoragePresence(() => isStorageThere(db, artifacts.storage), noMark)
  const work = join(place.path, 'work')
  const upkeep = createUpkeep({
    database,
    db,
    artifacts,
    presence,
    folders: new WorkFolders(work),
    bus,
    timers,
    settings: () => ({ ...defaultSettings, retention_days: retentionDays }),
    log: createLog({ name: 'test', level: 'silent' }),
    others: [
      (isSettled) => new Shares({ database, clock } as Partial<ShareDependencies> as ShareDependencies).tidy(isSettled),
    ],
  })
  clock.advance(hour)
  const store = async (id: string, into: ArtifactStore = artifacts) => {
    const file = join(place.path, 'incoming')
    await writeFile(file, 'sound')
    await into.put(id, 'source.m4a', file)
  }
  const add = async (more: Partial<JobRow>) => {
    const job = finishedJob(more)
    await insertJob(db, job)
    if (job.artifact !== null) await store(job.id)
    return job
  }
  return {
    db,
    accept: () => acceptStorage({ database, artifacts, presence }),
    timers,
    artifacts,
    told,
    upkeep,
    presence,
    store,
    add,
    work,
    folder: join(place.path, 'artifacts'),
    async [Symbol.asyncDispose]() {
      await artifacts.close()
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('an expired file is deleted, its job stays and says so, its links stop working, and clients are notified', async () => {
  await using house = await openHouse(7)
  const now = house.timers.now()
  const old = await house.add({ finished_at: now - 8 * day })
  const young = await house.add({ finished_at: now - 6 * day })
  await insertLink(house.db, linkTo(old.id, { token_hash: 'of the old' }))
  await insertLink(house.db, linkTo(old.id, { token_hash: 'of both' }), [young.id])
  await house.upkeep.run()
  assert.equal(await house.artifacts.stat(old.id, 'source.m4a'), undefined)
  assert.notEqual(await house.artifacts.stat(young.id, 'source.m4a'), undefined)
  const row = await findJob(house.db, old.id)
  assert.deepEqual([row?.artifact, row?.status, row?.message], [null, old.status, 'The file was deleted after 7 days'])
  assert.deepEqual(
    (await house.db.selectFrom('share_links').selectAll().execute()).map(({ token_hash }) => token_hash),
    ['of both'],
  )
  assert.deepEqual(
    house.told.map((event) => (event as { id: string }).id),
    [old.id],
  )
})

test('a clock that is wrong for a while after the start deletes no download and no link', async () => {
  await using house = await openHouse(7)
  const now = house.timers.now()
  const [old, young] = [
    await house.add({ finished_at: now - 8 * day }),
    await house.add({ finished_at: now - 6 * day }),
  ]
  await insertLink(house.db, linkTo(young.id, { token_hash: 'long over', expires_at: now - 40 * day }))
  await insertLink(house.db, linkTo(young.id, { token_hash: 'just over', expires_at: now - day }))
  const kept = async () => [
    (await house.db.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()).map(({ id }) => id),
    (await house.db.selectFrom('share_links').select('token_hash').execute()).map((link) => link.token_hash),
  ]
  const before = await kept()
  for (const direction of [1, -1]) {
    house.timers.jump(direction * 1000 * day)
    await house.upkeep.run()
    assert.deepEqual(await kept(), before)
  }
  house.timers.advance(hour)
  await house.upkeep.run()
  assert.deepEqual(await kept(), [[young.id], ['just over']])
  assert.equal(await house.artifacts.stat(old.id, 'source.m4a'), undefined)
})

test('a download that is pinned or worked on outlives the retention', async () => {
  await using house = await openHouse(7)
  const finished_at = house.timers.now() - 8 * day
  const kept = [await house.add({ finished_at, pinned: 1 }), await house.add({ finished_at, analysis_wanted_at: 1 })]
  const gone = await house.add({ finished_at })
  await house.upkeep.run()
  for (const { id } of kept) assert.notEqual(await house.artifacts.stat(id, 'source.m4a'), undefined)
  assert.equal(await house.artifacts.stat(gone.id, 'source.m4a'), undefined)
})

test('without a retention limit no job’s file is deleted', async () => {
  await using house = await openHouse(0)
  const job = await house.add({ finished_at: 1 })
  await house.upkeep.run()
  assert.notEqual(await house.artifacts.stat(job.id, 'source.m4a'), undefined)
})

test('orphaned files are deleted when old enough, or at a start, and running work is kept', async () => {
  await using house = await openHouse(0)
  const stray = '11111111-1111-4111-8111-111111111111'
  await house.store(stray, house.artifacts.storage)
  const queued = await house.add({ status: 'queued', artifact: null })
  for (const name of [`${queued.id}.1`, `${stray}.1`]) await mkdir(join(house.work, name))
  await house.upkeep.run()
  assert.deepEqual(await readdir(house.work), [`${queued.id}.1`])
  assert.ok(existsSync(join(house.folder, stray)))
  const past = new Date(Date.now() - 20 * 60_000)
  await utimes(join(house.folder, stray, 'source.m4a'), past, past)
  await utimes(join(house.folder, stray), past, past)
  await house.upkeep.run()
  assert.equal(existsSync(join(house.folder, stray)), false)
  await house.store(stray)
  await house.upkeep.clear()
  assert.equal(existsSync(join(house.folder, stray)), false)
})

test('while no stored file can be found, nothing is forgotten, and what is there again is as before', async () => {
  await using house = await openHouse(7)
  const past = house.timers.now() - day
  const [old, young] = [await house.add({ finished_at: past - 8 * day }), await house.add({ finished_at: past })]
  await house.store('11111111-1111-4111-8111-111111111111')
  // Long ago, so that all of it counts as settled.
  await house.db.updateTable('artifacts').set({ put_at: past }).execute()
  const record = async () => [
    await house.db.selectFrom('artifacts').selectAll().orderBy('job_id').execute(),
    await house.db.selectFrom('storage_totals').selectAll().execute(),
  ]
  const before = await record()
  const elsewhere = `${house.folder} away`
  // A mount point without its disk is an empty folder, and some delete it as well.
  for (const isFolder of [true, false]) {
    await rename(house.folder, elsewhere)
    if (isFolder) await mkdir(house.folder)
    await house.upkeep.clear()
    await house.upkeep.run()
    assert.equal(house.presence.isMissing, true)
    assert.deepEqual(await record(), before)
    assert.equal((await findJob(house.db, old.id))?.artifact, 'source.m4a')
    if (isFolder) await rmdir(house.folder)
    await rename(elsewhere, house.folder)
  }
  await house.upkeep.run()
  assert.equal(house.presence.isMissing, false)
  assert.equal((await findJob(house.db, old.id))?.artifact, null)
  assert.notEqual(await house.artifacts.stat(young.id, 'source.m4a'), undefined)
  const totals = await house.db.selectFrom('storage_totals').select('files').execute()
  assert.deepEqual(
    totals.map(({ files }) => files),
    [1],
  )
})

test('a working folder whose job began while others were looked at stays', async () => {
  await using house = await openHouse(0)
  const late = finishedJob({ status: 'queued', artifact: null })
  const folders = new WorkFolders(house.work)
  for (let index = 0; index < 150; index += 1) await mkdir(join(house.work, `${index}.1`))
  await mkdir(join(house.work, `${late.id}.1`))
  let parts = 0
  await folders.sweep(async (ids) => {
    parts += 1
    if (parts === 1) await insertJob(house.db, late)
    return goingOn(house.db, ids)
  })
  assert.deepEqual([parts, await readdir(house.work)], [2, [`${late.id}.1`]])
})

test('a storage that is gone for good can be accepted, and files that come back count again', async () => {
  await using house = await openHouse(0)
  const past = house.timers.now() - day
  const job = await house.add({ finished_at: past })
  await house.db.updateTable('artifacts').set({ put_at: past }).execute()
  const bytes = async () =>
    (await house.db.selectFrom('storage_totals').select('bytes').execute()).reduce((sum, one) => sum + one.bytes, 0)
  const before = await bytes()
  assert.ok(before > 0)
  await assert.rejects(house.accept(), /are there/)
  const elsewhere = `${house.folder} away`
  await rename(house.folder, elsewhere)
  await mkdir(house.folder)
  await house.accept()
  assert.equal(house.presence.isMissing, false)
  assert.equal(await bytes(), 0)
  assert.equal((await findJob(house.db, job.id))?.artifact, 'source.m4a', 'the download is not forgotten')
  await rmdir(house.folder)
  await rename(elsewhere, house.folder)
  // As at the next start; a running service looks hourly.
  await house.upkeep.clear()
  assert.equal(await bytes(), before)
})
