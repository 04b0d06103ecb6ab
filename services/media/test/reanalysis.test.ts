import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { AnalysisState } from '../src/reanalysis/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { finishedJob } from './job-row.ts'
import { startPlatform } from './platform/platform.ts'

test('a sound from before an upgrade stays readable and gets its new values, alone and with all others', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '1' })
  const { id } = await media.submit(platform.page('video.mp4'))
  const job = await media.reach(id, 'analysis_done')
  assert.ok(job.loudness_lufs !== null && job.loudness_lufs < -5 && job.loudness_lufs > -40, `${job.loudness_lufs}`)
  assert.ok(job.true_peak_dbtp !== null && job.loudness_range_lu !== null)
  assert.deepEqual([job.silence_start_seconds, job.analysis_pending], [0, false])
  const forget = { musical_key: null, loudness_lufs: null, analyser_version: null, silence_end_ms: null }
  const { query } = media.service.app.core.database
  const read = async () => (await media.json<Job>('GET', `/api/jobs/${id}`)).body
  const done = () => eventually(read, ({ analysis_pending }) => !analysis_pending)
  const state = async (method: string) => (await media.json<AnalysisState>(method, '/api/analysis')).body

  await query.updateTable('jobs').set(forget).where('id', '=', id).execute()
  assert.equal((await read()).loudness_lufs, null)
  assert.deepEqual(await state('GET'), { outdated: 1, pending: 0 })
  assert.equal((await state('POST')).pending, 1)
  assert.equal((await done()).loudness_lufs, job.loudness_lufs)
  assert.deepEqual(await state('GET'), { outdated: 0, pending: 0 })

  await media.json('POST', `/api/jobs/${id}/tempo`, { json: { bpm: 60 } })
  await query.updateTable('jobs').set(forget).where('id', '=', id).execute()
  const asked = await media.json<Job>('POST', `/api/jobs/${id}/analyse`)
  assert.deepEqual([asked.status, asked.body.analysis_pending], [200, true])
  const again = await done()
  assert.deepEqual([again.bpm, again.bpm_confidence, again.loudness_lufs], [60, 1, job.loudness_lufs])
})

test('after a power cut during the analysis the file is still there, and nothing is downloaded again', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '1' })
  const { id } = await media.submit(platform.page('sound.m4a'))
  await media.reach(id, 'analysis_done')
  const { query } = media.service.app.core.database
  const asBefore = { status: 'analysis', bpm: null, lease_until: 1, analyser_version: null } as const
  await query.updateTable('jobs').set(asBefore).where('id', '=', id).execute()
  const requests = platform.requests.length
  await media.restart()
  assert.equal((await media.call('GET', `/download/${id}`)).status, 200)
  const job = await eventually(
    async () => (await media.json<Job>('GET', `/api/jobs/${id}`)).body,
    ({ status, analysis_pending }) => status !== 'analysis' && !analysis_pending,
  )
  assert.deepEqual([job.status, job.bpm !== null], ['analysis_done', true], job.message ?? '')
  assert.equal(platform.requests.length, requests)
})

test('only a finished sound with a file can be analysed again', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  const { query } = media.service.app.core.database
  const video = finishedJob({ type: 'video', artifact: 'source.mp4' })
  const failed = finishedJob({ status: 'error', artifact: null })
  await query.insertInto('jobs').values([video, failed]).execute()
  for (const { id } of [video, failed]) assert.equal((await media.json('POST', `/api/jobs/${id}/analyse`)).status, 400)
  assert.equal((await media.json('POST', '/api/jobs/none/analyse')).status, 404)
})

test('the list is sorted by key and tempo on request, and a wrong sort is named', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  const { query } = media.service.app.core.database
  const rows = [
    finishedJob({ created_at: 1, bpm: 128, musical_key: 15 }),
    finishedJob({ created_at: 2, bpm: 90, musical_key: 14 }),
    finishedJob({ created_at: 3 }),
  ]
  await query.insertInto('jobs').values(rows).execute()
  const list = async (search: string) => (await media.json<Job[]>('GET', `/api/jobs?${search}`)).body
  assert.deepEqual(
    (await list('sort=key')).map(({ key, key_camelot }) => `${key_camelot} ${key}`),
    ['8A A minor', '8B C major', 'null null'],
  )
  assert.deepEqual(
    (await list('sort=bpm&order=desc')).map(({ bpm }) => bpm),
    [128, 90, null],
  )
  const wrong = await media.json<{ detail: string }>('GET', '/api/jobs?sort=shape')
  assert.deepEqual([wrong.status, /sort/.test(wrong.body.detail)], [400, true])
})

test('the command requests an analysis of what is outdated', async () => {
  await using media = await startMedia({ WORKERS: '0' })
  await media.service.app.core.database.query.insertInto('jobs').values([finishedJob(), finishedJob()]).execute()
  const { code, stdout } = await runCommand(['media', 'analyse'], { DATA_DIR: media.folder })
  assert.deepEqual([code, stdout], [0, '2\n'])
  const { body } = await media.json<AnalysisState>('GET', '/api/analysis')
  assert.deepEqual(body, { outdated: 2, pending: 2 })
})
