import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLocalBus } from '@hearth/events'
import { createFastTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { bothDatabases } from '../../test/intake-fixture.ts'
import { finishedJob, newExport, openTables } from '../../test/job-row.ts'
import { ArtifactLedger } from '../artifacts/ledger.ts'
import { openArtifacts } from '../artifacts/open-artifacts.ts'
import type { MediaEvent } from '../events.ts'
import { findJob, insertJob } from '../jobs/store.ts'
import { Problem } from '../problems.ts'
import { forgetFiles } from '../space/store.ts'
import { Exports } from './exports.ts'
import type { ExportRequest } from './schema.ts'
import { insertExport, listExports } from './store.ts'
import type { ExportRow } from './tables.ts'

async function openHouse(location: DatabaseLocation) {
  const place = await temporaryDirectory()
  const database = await openTables(location)
  const db = database.query
  const timers = createFastTimers(1)
  const storage = await openArtifacts({ kind: 'directory', path: undefined }, { dataDirectory: place.path })
  const job = finishedJob()
  await insertJob(db, job)
  /** What happens while a request is being checked. */
  const meanwhile = { do: (): Promise<unknown> => Promise.resolve() }
  const exports = new Exports({
    database,
    bus: createLocalBus<MediaEvent>(),
    artifacts: new ArtifactLedger({ database, storage, clock: timers }),
    timers,
    jobs: { row: async (id) => (await findJob(db, id)) ?? assert.fail() },
    exportWorker: { wake: () => undefined },
    hasSpace: async () => {
      await meanwhile.do()
      return true
    },
    room: { checkExport: () => Promise.resolve() },
  })
  const add = async (more: Partial<ExportRow>) => {
    const row = newExport({ job_id: job.id, request: JSON.stringify(plan), ...more })
    await insertExport(db, row)
    return row.id
  }
  return {
    db,
    job,
    exports,
    meanwhile,
    add,
    ids: async () => (await listExports(db, job.id)).map(({ id }) => id),
    async [Symbol.asyncDispose]() {
      await storage.close()
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

const plan: ExportRequest = {
  parts: [{ name: '', start: 1, end: 2, fade_in: 0, fade_out: 0, loop: null }],
  format: 'wav',
  joined: false,
  loudness_lufs: null,
  semitones: 0,
  tempo_percent: 100,
}

const isProblem = (status: number, text: RegExp, retryAfter?: string) => (error: unknown) => {
  assert.ok(error instanceof Problem, String(error))
  assert.deepEqual([error.status, error.headers['retry-after']], [status, retryAfter])
  assert.match(error.message, text)
  return true
}

for (const { name, skip, createLocation } of bothDatabases) {
  test(`${name}: a job has ten exports waiting at the most, and another job has its own`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { exports, job, db } = house
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => exports.request(job.id, plan)))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10)
    await assert.rejects(exports.request(job.id, plan), isProblem(429, /^10 exports of this job are waiting/, '10'))
    const other = finishedJob()
    await insertJob(db, other)
    await exports.request(other.id, plan)
    const [first = ''] = await house.ids()
    await exports.cancel(job.id, first)
    await exports.request(job.id, plan)
  })

  test(`${name}: a refused request deletes nothing, one that is taken the oldest that ended`, { skip }, async () => {
    await using house = await openHouse(await createLocation())
    const { exports, job, db } = house
    const ended: string[] = []
    for (let index = 0; index < 20; index += 1)
      ended.push(await house.add({ status: 'done', created_at: index, files: '{"stretch":null,"files":[]}' }))
    const other = finishedJob()
    await insertJob(db, other)
    const busy: string[] = []
    for (let index = 0; index < 100; index += 1) {
      const row = newExport({ job_id: other.id })
      await insertExport(db, row)
      busy.push(row.id)
    }
    await assert.rejects(exports.request(job.id, plan), isProblem(503, /^100 exports are waiting/, '10'))
    assert.deepEqual(new Set(await house.ids()), new Set(ended))
    await db
      .deleteFrom('exports')
      .where('id', '=', busy[0] ?? '')
      .execute()
    const { id } = await exports.request(job.id, plan)
    assert.deepEqual(new Set(await house.ids()), new Set([...ended.slice(1), id]))
    assert.equal(
      await db.selectFrom('exports').selectAll().where('status', '=', 'removed').executeTakeFirst(),
      undefined,
    )
  })

  test(
    `${name}: a request whose file goes while it is checked is refused, and none waits for it`,
    { skip },
    async () => {
      await using house = await openHouse(await createLocation())
      const { exports, job, db, meanwhile } = house
      meanwhile.do = () => db.transaction().execute((trx) => forgetFiles(trx, job.id, 'gone'))
      await assert.rejects(exports.request(job.id, { ...plan, id: randomUUID() }), isProblem(404, /file/))
      assert.deepEqual(await house.ids(), [])
    },
  )
}
