import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { finishedJob } from '../../test/job-row.ts'
import { writeWav } from '../../test/music/audio-files.ts'
import { namedTrack } from '../../test/music/named-track.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'
import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { JobHandle } from '../jobs/workers.ts'
import { defaultSettings } from '../settings/schema.ts'
import { Ffmpeg } from '../tools/ffmpeg.ts'
import { startGuardian } from '../tools/guardian.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { createAnalyser } from './analyse-audio.ts'
import { createAnalyseJob } from './analyse-job.ts'
import { createMeasureLevels } from './sound-levels.ts'

const rate = 22_050
const guardian = startGuardian()
const runner = createToolRunner(guardian)
const measure = createMeasureLevels(new Ffmpeg({ ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe', runner }))
const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1, measure })
after(async () => {
  await analyser.close()
  guardian.close()
})

/** Analyses piano of 64 seconds. */
async function analysePiano(maxMinutes: number) {
  await using folder = await temporaryDirectory('analyse-job')
  const piano = namedTrack('piano 108').play(rate)
  const samples = Float32Array.from({ length: 64 * rate }, (_, index) => (piano[index % piano.length] ?? 0) * 0.3)
  const file = await writeWav(join(folder.path, 'piano.wav'), rate, [samples])
  const settings = { ...defaultSettings, audio_analysis_max_minutes: maxMinutes }
  const analyse = createAnalyseJob({
    analyser,
    settings: () => settings,
    timers: systemTimers,
    log: createLog({ name: 'test', level: 'silent' }),
  })
  const steps: [string, JobValues][] = []
  const handle = {
    signal: new AbortController().signal,
    advance: (step: string, values: JobValues) => Promise.resolve(steps.push([step, values])),
  } as unknown as JobHandle
  await analyse(finishedJob({}), { file, facts: { durationMs: 64_000 } } as unknown as FetchedFile, handle)
  const [[step, values] = ['', {}]] = steps
  return { step, values }
}

test('a sound longer than the setting has key, loudness and silence, and no tempo is looked for', async () => {
  const { step, values } = await analysePiano(1)
  assert.equal(step, 'finished')
  assert.equal('bpm' in values, false)
  assert.match(values.message ?? '', /^Finished; longer than 1 minute, so its tempo was not looked for, \w+/)
  assert.ok(values.musical_key !== null && values.musical_key !== undefined)
  assert.ok((values.loudness_lufs ?? 0) < -5 && (values.true_peak_dbtp ?? 9) < 3)
  assert.equal(values.silence_start_ms, 0)
})

test('a sound within the setting has a tempo too', async () => {
  const { step, values } = await analysePiano(2)
  assert.equal(step, 'analysed')
  assert.ok(values.bpm !== null && values.bpm !== undefined && values.musical_key !== null)
})
