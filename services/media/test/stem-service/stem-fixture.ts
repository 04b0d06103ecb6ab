import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { createStemClient, type StemClientOptions } from '../../src/stems/stem-client.ts'
import { startStemService } from './stem-service.ts'
import { writeTones } from './tones.ts'

/** The key of the account that every bench has; long enough to be found wherever it leaks. */
export const fixtureKey = 'KEY-7f3a9c2e51d84b60'

/** Limits that no busy machine reaches, for tests that are not about them. */
const patient = { callMs: 10_000_000, stallMs: 10_000_000 }

/** Differences of a bench from the ordinary one. */
export interface FixtureOptions extends Partial<StemClientOptions> {
  /** The length of the audio file; 3 unless told. */
  readonly seconds?: number
  /** Pace of time for service and client, in times of the clock; 400 when left out. */
  readonly factor?: number
}

/** A fake service with an account of 10 minutes, a client for it and an audio file. */
export async function stemFixture(t: TestContext, options: FixtureOptions = {}) {
  const timers = createFastTimers(options.factor ?? 400)
  const service = await startStemService({ timers })
  const folder = await mkdtemp(join(tmpdir(), 'hearth-stems-'))
  t.after(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })
  const source = join(folder, 'source.wav')
  await writeTones(source, options.seconds ?? 3)
  service.account(fixtureKey).minutes = 10
  const client = createStemClient({ baseUrl: service.url, timers, limits: patient, ...options })
  return { service, client, timers, folder, source, key: fixtureKey }
}
