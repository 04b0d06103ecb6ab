import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { finishedJob } from '../../test/job-row.ts'
import { tonesOf, writeTones } from '../../test/stem-service/tones.ts'
import { openDirectoryStore } from '../artifacts/directory-store.ts'
import { createSlots } from '../conversion/slots.ts'
import { Problem } from '../problems.ts'
import { defaultSettings } from '../settings/schema.ts'
import { Ffmpeg } from '../tools/ffmpeg.ts'
import { startGuardian } from '../tools/guardian.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { runSplit, type RunSplitDependencies } from './run-split.ts'
import { newSeparation } from './separation-record.ts'
import type { SplitLease } from './split-lease.ts'
import type { StemClient } from './stem-client.ts'

/** A service that is a list of answers: what it hands out is a file of the test's. */
function fakeClient(result: () => string, uploads: Buffer[]): StemClient {
  return {
    minutesLeft: () => Promise.resolve(100),
    upload: async (_key, { file }) => {
      uploads.push(await readFile(file))
      return { sourceId: 'source', durationSeconds: 3 }
    },
    split: () => Promise.resolve('task'),
    check: () =>
      Promise.resolve({
        state: 'success',
        durationSeconds: 3,
        tracks: [
          { type: 'stem', label: 'vocals', url: 'https://d.lalal.ai/a' },
          { type: 'back', label: 'no_vocals', url: 'https://d.lalal.ai/b' },
        ],
      } as const),
    cancel: () => Promise.resolve(),
    deleteSource: () => Promise.resolve(),
    async download(_url, { into }) {
      await copyFile(result(), into)
      return 1
    },
  }
}

async function openBench() {
  const folder = await temporaryDirectory('split')
  const path = (name: string) => join(folder.path, name)
  const guardian = startGuardian()
  const artifacts = await openDirectoryStore(path('artifacts'))
  await mkdir(path('scratch'))
  const job = finishedJob({ duration_ms: 3000 })
  const uploads: Buffer[] = []
  let result = path('tones.wav')
  await writeTones(result, 3)
  const put = async (name: string, words: string) => {
    assert.equal(
      spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', path('tones.wav'), ...words.split(' '), path(name)]).status,
      0,
    )
    await artifacts.put(job.id, name, path(name))
  }
  let present = job
  const dependencies: RunSplitDependencies = {
    jobs: { row: (id) => (id === present.id ? Promise.resolve(present) : Promise.reject(new Problem(404, 'gone'))) },
    artifacts,
    ffmpeg: new Ffmpeg({
      ffmpeg: '/usr/bin/ffmpeg',
      ffprobe: '/usr/bin/ffprobe',
      runner: createToolRunner(guardian),
    }),
    slots: createSlots(1),
    folder: path('scratch'),
    client: fakeClient(() => result, uploads),
    timers: systemTimers,
    settings: () => defaultSettings,
  }
  let finished = 0
  const lease = {
    save: () => Promise.resolve(),
    finish: () => Promise.resolve(void (finished += 1)),
  } as unknown as SplitLease
  const run = (artifact: string, variant = '') =>
    runSplit(dependencies, {
      part: { job: { ...job, artifact: 'source.m4a' }, variant, artifact, durationMs: 3000 },
      key: 'KEY',
      origin: { source: 'tag', account: 'mark' },
      separation: newSeparation(),
      lease,
      progress: { report: () => undefined, done: () => undefined, failed: () => undefined },
      signal: new AbortController().signal,
    })
  return {
    path,
    artifacts,
    job,
    uploads,
    put,
    run,
    become: (change: Partial<typeof job>) => void (present = { ...present, ...change }),
    deliver: (file: string) => void (result = file),
    finished: () => finished,
    leftovers: () => readdirSync(path('scratch')),
    async [Symbol.asyncDispose]() {
      guardian.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('audio is uploaded as WAV, unless it is WAV or FLAC already', async () => {
  await using bench = await openBench()
  await bench.put('source.m4a', '-c:a aac')
  await bench.put('source.flac', '-c:a flac')
  await bench.put('trim_0_3000.wav', '-c:a pcm_s16le')
  for (const name of ['source.m4a', 'source.flac', 'trim_0_3000.wav']) await bench.run(name)
  assert.deepEqual(
    bench.uploads.map((bytes) => bytes.toString('latin1', 0, 4)),
    ['RIFF', 'fLaC', 'RIFF'],
  )
  assert.deepEqual([bench.finished(), bench.leftovers()], [3, []])
})

test('a stem in another format is stored as MP3, an MP3 unchanged', async () => {
  await using bench = await openBench()
  await bench.put('source.m4a', '-c:a aac')
  await bench.run('source.m4a')
  const kept = (name: string) => join(bench.path('artifacts'), bench.job.id, name)
  for (const stem of ['vocals', 'instrumental']) {
    const tones = await tonesOf(kept(`stem_whole_${stem}.mp3`))
    assert.ok(tones.middle > 0.9 && tones.side > 0.9 && Math.abs(tones.seconds - 3) < 0.2)
    assert.match((await readFile(kept(`stem_whole_${stem}.mp3`))).toString('latin1', 0, 3), /^ID3|^\xff/)
  }
  const mp3 = bench.path('stem.mp3')
  assert.equal(spawnSync('ffmpeg', ['-v', 'error', '-i', bench.path('tones.wav'), '-b:a', '64k', mp3]).status, 0)
  bench.deliver(mp3)
  await bench.run('source.m4a', '0_3000')
  assert.ok((await readFile(kept('stem_0_3000_vocals.mp3'))).equals(await readFile(mp3)))
})

test('nothing is stored for invalid audio, or for a deleted or restarted job', async () => {
  await using bench = await openBench()
  await bench.put('source.m4a', '-c:a aac')
  bench.deliver(join(import.meta.dirname, 'run-split.ts'))
  await assert.rejects(bench.run('source.m4a'), MediaFailure)
  bench.deliver(bench.path('tones.wav'))
  for (const change of [{ attempt: 2 }, { artifact: null }, { id: 'other' }]) {
    bench.become({ ...bench.job, artifact: 'source.m4a', ...change })
    await assert.rejects(bench.run('source.m4a'), (error: Problem) => error.status === 404)
  }
  assert.deepEqual(
    [await bench.artifacts.list(bench.job.id), bench.finished(), bench.leftovers()],
    [['source.m4a'], 0, []],
  )
  assert.ok(existsSync(bench.path('scratch')))
})
