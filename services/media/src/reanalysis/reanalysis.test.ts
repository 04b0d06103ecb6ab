import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLocalBus } from '@hearth/events'
import { createLog, systemTimers } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import { analyserVersion, type Analyser, type AudioAnalysis } from '../analysis/analyse-audio.ts'
import { AnalysisFailed } from '../analysis/analysis-thread.ts'
import { ArtifactMissing, ArtifactStorageFailed, type ArtifactStore } from '../artifacts/artifact-store.ts'
import type { MediaEvent } from '../events.ts'
import { findJob, insertJob, setTempo } from '../jobs/store.ts'
import { defaultSettings } from '../settings/schema.ts'
import { Reanalysis } from './reanalysis.ts'
import { claimAnalysis, countAnalyses, requestAnalysis, requestOutdated } from './store.ts'

const found: AudioAnalysis = {
  bpm: 128,
  rawBpm: 128,
  alternativeBpm: 64,
  confidence: 0.9,
  key: 14,
  keyConfidence: 0.8,
  levels: { loudnessLufs: -9.1, rangeLu: 4, truePeakDbtp: 0.3, silenceStartMs: 120, silenceEndMs: 0 },
  hash: 'a'.repeat(64),
}

/** Workers on one database that note which files they analyse. */
async function openPlace(location: DatabaseLocation) {
  const database = await openTables(location)
  const db = database.query
  const analysed: string[] = []
  const storage = { isMissing: false }
  const shared = {
    db,
    bus: createLocalBus<MediaEvent>(),
    timers: systemTimers,
    log: createLog({ name: 'test', level: 'silent' }),
    settings: () => defaultSettings,
    lease: 400,
    presence: { look: () => Promise.resolve(storage.isMissing) },
    artifacts: {
      withLocalFile: <T>(id: string, _name: string, work: (path: string) => Promise<T>) => work(id),
    } as unknown as ArtifactStore,
  }
  const openWorker = (analyse: Analyser['analyse']) => new Reanalysis({ ...shared, analyser: { analyse } })
  const answer: Analyser['analyse'] = (file, { withTempo }) => {
    analysed.push(file)
    return Promise.resolve(withTempo === false ? { ...found, bpm: null, confidence: null } : found)
  }
  return { db, analysed, storage, openWorker, answer, [Symbol.asyncDispose]: () => database.close() }
}

function onDatabase(name: string, options: { skip?: string | false }, locate: () => Promise<DatabaseLocation>): void {
  test(`${name}: workers analyse every outdated sound once`, options, async () => {
    await using place = await openPlace(await locate())
    const { db } = place
    const sounds = Array.from({ length: 12 }, (_, index) =>
      finishedJob({ status: 'done', created_at: index, bpm: 64, bpm_confidence: 0.5 }),
    )
    const tapped = finishedJob({ bpm: 87, bpm_confidence: 1 })
    const long = finishedJob({ duration_ms: 1_000_000, bpm: 100, bpm_confidence: 0.6 })
    const others = [
      finishedJob({ type: 'video', artifact: 'source.mp4' }),
      finishedJob({ artifact: null }),
      finishedJob({ analyser_version: analyserVersion }),
      finishedJob({ status: 'error' }),
    ]
    for (const row of [...sounds, tapped, long, ...others]) await insertJob(db, row)
    assert.deepEqual(await countAnalyses(db, analyserVersion), { outdated: 14, pending: 0 })
    assert.equal(await requestOutdated(db, analyserVersion, 5), 14)
    assert.equal(await requestOutdated(db, analyserVersion, 6), 0)
    const workers = [place.openWorker(place.answer), place.openWorker(place.answer)]
    for (const worker of workers) worker.start()
    await eventually(
      () => countAnalyses(db, analyserVersion),
      ({ pending }) => pending === 0,
    )
    for (const worker of workers) await worker.close()
    assert.deepEqual(place.analysed.toSorted(), [...sounds, tapped, long].map(({ id }) => id).toSorted())
    const row = await findJob(db, sounds[3]?.id ?? '')
    assert.deepEqual(
      [row?.status, row?.bpm, row?.musical_key, row?.loudness_lufs, row?.silence_start_ms, row?.analyser_version],
      ['analysis_done', 128, 14, -9.1, 120, analyserVersion],
    )
    const own = await findJob(db, tapped.id)
    assert.deepEqual([own?.bpm, own?.bpm_confidence, own?.musical_key], [87, 1, 14])
    // The tempo of so long a sound is not looked for: the one it has stays.
    const longRow = await findJob(db, long.id)
    assert.deepEqual([longRow?.bpm, longRow?.bpm_confidence, longRow?.musical_key], [100, 0.6, 14])
    assert.deepEqual(await countAnalyses(db, analyserVersion), { outdated: 0, pending: 0 })
  })

  test(`${name}: a tempo that a person sets meanwhile stays`, options, async () => {
    await using place = await openPlace(await locate())
    const { db } = place
    const job = finishedJob({ bpm: 64, bpm_confidence: 0.5 })
    await insertJob(db, job)
    await requestAnalysis(db, job.id, 1)
    const worker = place.openWorker(async () => {
      await setTempo(db, job.id, 90)
      return found
    })
    worker.start()
    const row = await eventually(
      () => findJob(db, job.id),
      (one) => one?.analysis_wanted_at === null,
    )
    await worker.close()
    assert.deepEqual([row?.bpm, row?.bpm_confidence, row?.musical_key], [90, 1, 14])
  })

  test(`${name}: a sound whose workers are lost again and again is left alone`, options, async () => {
    await using place = await openPlace(await locate())
    const { db } = place
    const job = finishedJob({ status: 'done' })
    await insertJob(db, job)
    await requestAnalysis(db, job.id, 1)
    // Workers that were killed with the job in their hands.
    for (const now of [1000, 3000]) assert.ok(await claimAnalysis(db, { now, until: now + 1000 }))
    const worker = place.openWorker(place.answer)
    worker.start()
    const row = await eventually(
      () => findJob(db, job.id),
      (one) => one?.analysis_wanted_at === null,
    )
    await worker.close()
    assert.deepEqual([place.analysed, row?.status, row?.interruptions], [[], 'done', 0])
    assert.equal((await countAnalyses(db, analyserVersion)).outdated, 0)
  })

  test(`${name}: the sound of a lost worker goes to another, and the lost one writes nothing`, options, async () => {
    await using place = await openPlace(await locate())
    const { db } = place
    const job = finishedJob()
    await insertJob(db, job)
    await requestAnalysis(db, job.id, 1)
    // A worker that was killed with the job in its hands.
    assert.equal((await claimAnalysis(db, { now: systemTimers.now(), until: systemTimers.now() + 300 }))?.id, job.id)
    assert.equal(await claimAnalysis(db, { now: systemTimers.now(), until: systemTimers.now() + 300 }), undefined)
    const worker = place.openWorker(place.answer)
    worker.start()
    await eventually(
      () => {
        worker.wake()
        return findJob(db, job.id)
      },
      (row) => row?.musical_key === 14,
    )
    await worker.close()
    assert.deepEqual(place.analysed, [job.id])
  })
}

onDatabase('SQLite', {}, () => Promise.resolve({ file: ':memory:' }))
onDatabase('PostgreSQL', { skip: postgresObstacle() }, async () => ({ url: await createPostgresDatabase() }))

test('a worker that stops returns its sound at once, and one that takes long keeps it', async () => {
  await using place = await openPlace({ file: ':memory:' })
  const { db } = place
  const job = finishedJob()
  await insertJob(db, job)
  await requestAnalysis(db, job.id, 1)
  const slow = place.openWorker(
    (_file, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  )
  slow.start()
  const first = await eventually(
    () => findJob(db, job.id),
    (row) => (row?.analysis_lease_until ?? 0) > 0,
  )
  const until = first?.analysis_lease_until ?? 0
  // Renewed, past the end of the first lease.
  await eventually(
    () => findJob(db, job.id),
    (row) => (row?.analysis_lease_until ?? 0) > until + 400,
  )
  await slow.close()
  const row = await findJob(db, job.id)
  assert.deepEqual([row?.analysis_lease_until, row?.analysis_wanted_at], [null, 1])
  const next = place.openWorker(place.answer)
  next.start()
  await eventually(
    () => findJob(db, job.id),
    (one) => one?.analysis_wanted_at === null,
  )
  await next.close()
})

for (const failure of [new AnalysisFailed('unreadable', 'broken'), new ArtifactMissing('job', 'source.m4a')])
  test(`a sound that cannot be analysed (${failure.name}) keeps its values, and is not tried for ever`, async () => {
    await using place = await openPlace({ file: ':memory:' })
    const { db } = place
    const job = finishedJob({ bpm: 100, bpm_confidence: 0.7 })
    await insertJob(db, job)
    await requestAnalysis(db, job.id, 1)
    const worker = place.openWorker(() => Promise.reject(failure))
    worker.start()
    const row = await eventually(
      () => findJob(db, job.id),
      (one) => one?.analysis_wanted_at === null,
    )
    await worker.close()
    assert.deepEqual([row?.bpm, row?.message], [100, 'Finished; another analysis failed'])
    assert.equal((await countAnalyses(db, analyserVersion)).outdated, 0)
  })

for (const failure of [new ArtifactStorageFailed('no answer'), new ArtifactMissing('job', 'source.m4a')])
  test(`while the storage is away (${failure.name}) every request stays, and one attempt is made`, async () => {
    await using place = await openPlace({ file: ':memory:' })
    const { db, storage } = place
    storage.isMissing = true
    const jobs = [finishedJob(), finishedJob(), finishedJob()]
    for (const job of jobs) await insertJob(db, job)
    await requestOutdated(db, analyserVersion, 1)
    let attempts = 0
    const worker = place.openWorker(() => {
      attempts += 1
      return Promise.reject(failure)
    })
    worker.start()
    const postponed = await eventually(
      () => Promise.all(jobs.map(({ id }) => findJob(db, id))),
      (rows) => rows.some((row) => (row?.analysis_lease_until ?? 0) > Date.now() + 300_000),
    )
    worker.wake()
    await worker.close()
    assert.equal(attempts, 1)
    assert.deepEqual(
      postponed.map((row) => [row?.analysis_wanted_at, row?.analyser_version]),
      jobs.map(() => [1, null]),
    )
  })
