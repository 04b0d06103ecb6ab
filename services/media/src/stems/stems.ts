import { findDerived } from '../delivery/derived-file.ts'
import { stemName } from '../jobs/file-names.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { invalid, notFound } from '../problems.ts'
import type { Trims } from '../trims/trims.ts'
import { guardedSeconds } from './run-split.ts'
import type { StemQuery, StemResult } from './schema.ts'
import { createSeparations, type SeparationDependencies } from './separations.ts'
import type { StemAccountStore } from './stem-account.ts'
import {
  findPart,
  isOfTrim,
  readTrimId,
  requireSound,
  stemArtifact,
  trimOfArtifact,
  whole,
  type WantedPart,
} from './wanted-part.ts'
import { releaseSplits } from './store.ts'

export interface StemDependencies extends SeparationDependencies {
  readonly account: StemAccountStore
  readonly trims: Pick<Trims, 'list'>
}

/** Vocals and accompaniment of a sound, made by an external service. They throw problems of the API. */
export type Stems = Awaited<ReturnType<typeof openStems>>

/** Opens the stems and releases the splits of an earlier run of this process. */
export async function openStems(dependencies: StemDependencies) {
  const { jobs, artifacts, trims, database, account: accounts } = dependencies
  // No other process works on this database: this one holds the lock of its file.
  if (database.kind === 'sqlite') await releaseSplits(database.query)
  const separations = createSeparations(dependencies)
  return {
    /** Waits for the result, ten minutes at most. Both stems are made at once. */
    async separate(jobId: string, query: StemQuery): Promise<StemResult> {
      const job = requireSound(await jobs.row(jobId))
      const account = accounts.current()
      const part = await findPart(job, query, trims).catch((error: unknown) => {
        throw account === undefined ? noAccount() : error
      })
      if (await separations.isDone(part)) return resultOf(part, query, true)
      if (account === undefined) throw noAccount()
      if (dependencies.settings().stemsvc_duration_guard) refuseLong(part)
      await separations.run(part, account.key).finally(() => accounts.doubt())
      return resultOf(part, query, false)
    },
    /** Finds the stored file of a stem and the name it is saved under. */
    async find(jobId: string, query: StemQuery): Promise<{ name: string; fileName: string }> {
      const job = await jobs.row(jobId)
      if (!isDownloadable(job.status)) throw notFound('stem')
      const isTrimmed = isOfTrim(query)
      const variant = isTrimmed ? (readTrimId(query) ?? onlyTrim(await artifacts.list(job.id), query)) : whole
      const name = stemArtifact(variant, query.stem)
      if ((await findDerived(artifacts, job, name)) === undefined) throw notFound('stem')
      return { name, fileName: stemName(job, query.stem, isTrimmed) }
    },
    /** Pauses running separations; they continue at the next request. */
    close: () => separations.close(),
  }
}

const noAccount = () => invalid('There is no activation key for the stem service; store one first', 'no-key')

function refuseLong({ durationMs }: WantedPart): void {
  if (durationMs > guardedSeconds * 1000)
    throw invalid(
      `The sound is longer than ${guardedSeconds / 60} minutes; cut a part out of it, or turn stemsvc_duration_guard off`,
      'exceeded-duration',
    )
}

/** The one trim whose stem is kept. */
function onlyTrim(names: readonly string[], { stem }: StemQuery): string {
  const trims = names.flatMap((name) => trimOfArtifact(name, stem) ?? [])
  if (trims.length > 1) throw invalid(`trim_id must say which of the ${trims.length} trims is meant`)
  const [only] = trims
  if (only === undefined) throw notFound('stem')
  return only
}

function resultOf({ job, variant }: WantedPart, { stem }: StemQuery, cached: boolean): StemResult {
  const isTrimmed = variant !== whole
  const trim = isTrimmed ? { trimmed: 'true', trim_id: variant } : undefined
  const query = new URLSearchParams({ stem, ...trim })
  return {
    ok: true,
    cached,
    download_url: `/api/stemsvc/download/${job.id}?${query.toString()}`,
    filename: stemName(job, stem, isTrimmed),
    ...(trim === undefined ? {} : { trim_id: variant }),
  }
}
