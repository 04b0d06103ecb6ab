import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob, newExport, openTables } from '../../test/job-row.ts'
import { findSession, writeSession } from '../workbench/store.ts'
import {
  cancelExport,
  claimExport,
  findExport,
  findUnsettled,
  hideExport,
  insertExport,
  isWantedElsewhere,
  releaseExports,
  settleExport,
  writeRunning,
} from './store.ts'
import type { ExportRow } from './tables.ts'

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = await openTables(location)
  const db = database.query
  const job = finishedJob()
  await db.insertInto('jobs').values(job).execute()

  async function add(more: Partial<ExportRow> = {}): Promise<string> {
    const row = newExport({ job_id: job.id, ...more })
    await insertExport(db, row)
    return row.id
  }
  const clear = () => db.deleteFrom('exports').execute()

  await test(`${name}: of several workers one gets an export, the oldest first`, async () => {
    await add({ created_at: 2000 })
    const first = await add({ created_at: 1000 })
    const claims = await Promise.all(Array.from({ length: 4 }, () => claimExport(db, { now: 1, until: 100 })))
    const ids = claims.flatMap((claim) => claim?.id ?? [])
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.includes(first))
    await clear()
  })

  await test(`${name}: one whose worker was lost is taken again, and the lost one writes nothing more`, async () => {
    const id = await add()
    const before = await claimExport(db, { now: 1, until: 100 })
    assert.equal(await claimExport(db, { now: 50, until: 200 }), undefined)
    const after = await claimExport(db, { now: 101, until: 200 })
    assert.deepEqual([after?.id, after?.attempt, after?.interruptions], [id, 2, 1])
    assert.ok(before !== undefined && after !== undefined)
    assert.equal(await writeRunning(db, before, { status: 'done' }), undefined)
    assert.equal(await isWantedElsewhere(db, before), true)
    assert.equal(await isWantedElsewhere(db, after), false)
    assert.equal((await writeRunning(db, after, { status: 'done', lease_until: null }))?.status, 'done')
    await clear()
  })

  await test(`${name}: a cancelled one is not written any more, and its files are known until they are gone`, async () => {
    const id = await add()
    const claim = await claimExport(db, { now: 1, until: 100 })
    assert.ok(claim !== undefined)
    await writeRunning(db, claim, { has_files: 1 })
    assert.equal((await cancelExport(db, id, 10))?.status, 'cancelled')
    assert.equal(await cancelExport(db, id, 10), undefined)
    assert.equal(await writeRunning(db, claim, { status: 'done' }), undefined)
    assert.deepEqual(await findUnsettled(db, 50), [], 'its worker may still store one')
    await releaseExports(db)
    assert.deepEqual(
      (await findUnsettled(db, 50)).map((row) => row.id),
      [id],
    )
    await settleExport(db, id)
    assert.deepEqual(await findUnsettled(db, 50), [])
    assert.equal((await findExport(db, id))?.status, 'cancelled')
    await hideExport(db, id)
    await settleExport(db, id)
    assert.equal(await findExport(db, id), undefined)
  })

  await test(`${name}: a session is written from the revision before alone, and goes with its job`, async () => {
    const row = (revision: number, content: string) => ({ job_id: job.id, revision, content, updated_at: revision })
    const first = await Promise.all([writeSession(db, row(1, 'a')), writeSession(db, row(1, 'b'))])
    assert.equal(first.filter((written) => written !== undefined).length, 1)
    assert.equal(await writeSession(db, row(3, 'c')), undefined)
    assert.equal((await writeSession(db, row(2, 'd')))?.content, 'd')
    assert.equal((await findSession(db, job.id))?.revision, 2)
    await add()
    await db.deleteFrom('jobs').where('id', '=', job.id).execute()
    assert.equal(await findSession(db, job.id), undefined)
    assert.deepEqual(await db.selectFrom('exports').select('id').execute(), [])
  })

  await database.close()
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
