import assert from 'node:assert/strict'
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { Export } from '../src/exports/schema.ts'
import { emptyContent, type Workbench } from '../src/workbench/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { newExport } from './job-row.ts'
import { startPlatform } from './platform/platform.ts'
import { mountSmallDisk } from './small-disk.ts'

const plan = {
  parts: [
    { name: 'One', start: 0, end: 6, fade_in: 0, fade_out: 0, loop: null },
    { name: 'Two', start: 3, end: 10, fade_in: 0, fade_out: 0, loop: null },
  ],
  format: 'wav',
  joined: false,
  loudness_lufs: -20,
  semitones: 0,
  tempo_percent: 96,
}

test('a disk that becomes full at any step of an export is said, damages nothing, and the next one is made', async (t) => {
  await using folder = await temporaryDirectory()
  await using disk = mountSmallDisk(join(folder.path, 'small'), '320m')
  if (disk.obstacle !== undefined) return t.skip(disk.obstacle)
  const { path: data } = disk
  const ballast = join(data, 'ballast')
  /** Leaves so many bytes free. */
  const leave = (bytes: number) => {
    rmSync(ballast, { force: true })
    const { bavail, bsize } = statfsSync(data)
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
  }
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host), { folder: data })
  const { id } = await media.submit(platform.page('sound.m4a'))
  await media.reach(id, 'analysis_done')
  const { exportWorker, database, space } = media.service.app.core
  const stored = () => readdirSync(join(data, 'artifacts', id)).filter((name) => name.startsWith('export_'))
  const before = readdirSync(join(data, 'artifacts', id))
  const exportsNow = async () => (await media.json<Export[]>('GET', `/api/jobs/${id}/exports`)).body
  const ended = new Set<string>()

  await t.test('a new one is refused at once', async () => {
    leave(2_000_000)
    const { status, body } = await media.json<{ detail: string }>('POST', `/api/jobs/${id}/exports`, { json: plan })
    assert.deepEqual([status, /not enough space/.test(body.detail)], [503, true])
  })
  await t.test('one that waited meanwhile fails before anything of it is made', async () => {
    const row = newExport({ job_id: id, request: JSON.stringify(plan) })
    await database.query.insertInto('exports').values(row).execute()
    exportWorker.wake()
    const one = await eventually(
      async () => (await exportsNow()).find((other) => other.id === row.id),
      (other) => other?.status === 'failed' || other?.status === 'done',
      { seconds: 60, everyMs: 50 },
    )
    assert.deepEqual([one?.status, one?.progress], ['failed', 0])
    assert.match(one?.message ?? '', /not enough space left on the disk/)
    await media.call('DELETE', `/api/jobs/${id}/exports/${row.id}`)
  })
  // From here on others fill the disk after it was looked at.
  space.reserveExport = () => Promise.resolve()
  // Part files have 2 and 2.5 MB, stretched ones a little more, and so have the results.
  for (const free of [300_000, 3_000_000, 5_500_000, 7_500_000, 9_500_000]) {
    await t.test(`with ${free} bytes left it fails with the reason, or is whole`, async () => {
      rmSync(ballast, { force: true })
      const row = await database.query
        .insertInto('exports')
        .values(newExport({ job_id: id, request: JSON.stringify(plan) }))
        .returning('id')
        .executeTakeFirstOrThrow()
      leave(free)
      exportWorker.wake()
      const one = await eventually(
        async () => (await exportsNow()).find((other) => other.id === row.id),
        (other) => other?.status === 'failed' || other?.status === 'done',
        { seconds: 60, everyMs: 50 },
      )
      ended.add(one?.status ?? '')
      if (one?.status === 'failed') {
        assert.match(one.message ?? '', /not enough space left on the disk/)
        assert.ok(!stored().some((name) => name.includes(row.id)))
      } else assert.equal(one?.files.length, 2)
      assert.deepEqual(readdirSync(join(data, 'scratch')), [])
      for (const name of before) assert.ok(readdirSync(join(data, 'artifacts', id)).includes(name), name)
      await media.call('DELETE', `/api/jobs/${id}/exports/${row.id}`)
    })
  }
  assert.ok(ended.has('failed'), 'no step met the full disk')
  await t.test('a session that cannot be written is said, and the one before stays', async () => {
    rmSync(ballast, { force: true })
    const path = `/api/jobs/${id}/workbench`
    const cue = (name: string) => ({ id: 'c', name, at: 1 })
    const save = (revision: number, count: number) =>
      media.json<Workbench & { detail: string }>('PUT', path, {
        json: {
          revision,
          ...emptyContent,
          cues: Array.from({ length: count }, (_, index) => ({ ...cue('x'.repeat(80)), id: `${index}` })),
        },
      })
    assert.equal((await save(0, 1)).status, 200)
    leave(0)
    const refused = await save(1, 100)
    assert.equal(refused.status, 503)
    assert.match(refused.body.detail, /disk is full/)
    rmSync(ballast, { force: true })
    assert.equal((await media.json<Workbench>('GET', path)).body.cues.length, 1)
    assert.equal((await save(1, 100)).status, 200)
  })
  await t.test('with room again an export is made', async () => {
    const { status, body } = await media.json<Export>('POST', `/api/jobs/${id}/exports`, { json: plan })
    assert.equal(status, 202)
    await eventually(
      async () => (await exportsNow()).find((one) => one.id === body.id)?.status,
      (state) => state === 'done',
      { seconds: 60 },
    )
  })
})
