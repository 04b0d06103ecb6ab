import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newSeparation, SeparationRecord } from '../../src/stems/separation-record.ts'
import { runSeparation, type Separation } from '../../src/stems/separation.ts'
import { StemServiceError, type StemFailure } from '../../src/stems/stem-service-error.ts'
import { stemFixture, type FixtureOptions } from './stem-fixture.ts'
import { tonesOf } from './tones.ts'

/** A bench and what a caller keeps: the saved record, which outlives a crash. */
export async function separationFixture(t: TestContext, options: FixtureOptions = {}) {
  const bench = await stemFixture(t, options)
  const into = join(bench.folder, 'work')
  await mkdir(into)
  const kept = { record: newSeparation(), stages: [] as string[], saves: 0, waits: [] as number[] }
  const controller = new AbortController()

  const delay: Separation['timers']['delay'] = (ms, signal) => {
    kept.waits.push(ms)
    return bench.timers.delay(ms, signal)
  }

  /** Runs as the service would after a start: with what was saved last. */
  function run(changes: Partial<Separation> = {}) {
    return runSeparation({
      client: bench.client,
      key: bench.key,
      record: kept.record,
      save: async (record) => {
        kept.saves += 1
        // As a database would give it back.
        kept.record = SeparationRecord.parse(JSON.parse(JSON.stringify(record)))
      },
      source: { file: bench.source, name: 'job.wav', durationSeconds: options.seconds ?? 3 },
      into,
      signal: controller.signal,
      timers: { ...bench.timers, delay },
      onStage: (stage, percent) => void kept.stages.push(`${stage} ${percent}`),
      ...changes,
      // No busy machine takes so long.
      limits: { overallMs: 10_000_000, tidyMs: 10_000_000, ...changes.limits },
    })
  }

  const checks = () => bench.service.calls.filter((call) => call.path.includes('/check/'))
  return { ...bench, kept, run, controller, into, checks }
}

type Fixture = Awaited<ReturnType<typeof separationFixture>>

/** Both results are there and hold what they should. */
export async function assertSplit({ into }: Fixture): Promise<void> {
  const vocals = await tonesOf(join(into, 'vocals.mp3'))
  const instrumental = await tonesOf(join(into, 'instrumental.mp3'))
  assert.ok(vocals.middle > 0.9 && vocals.side < 0.1 && Math.abs(vocals.seconds - 3) < 0.2, JSON.stringify(vocals))
  assert.ok(instrumental.side > 0.9 && instrumental.middle < 0.1, JSON.stringify(instrumental))
}

/** For `assert.rejects`. */
export const failsAs = (kind: StemFailure) => (error: unknown) => {
  assert.ok(error instanceof StemServiceError, String(error))
  assert.equal(error.kind, kind)
  return true
}

/** Ends a run where a crash would. */
export class Crash extends Error {}
