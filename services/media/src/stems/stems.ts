import { findDerived } from '../delivery/derived-file.ts'
import { stemName } from '../delivery/file-names.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { invalid, notFound } from '../problems.ts'
import type { Trims } from '../trims/trims.ts'
import { guardedSeconds } from './run-split.ts'
import type { StemAccount, StemQuery, StemResult, StemStatus } from './schema.ts'
import { type SeparationParts, Separations } from './separations.ts'
import { AccountKeeper, type AccountParts } from './stem-account.ts'
import { stemArtifact, trimOfArtifact, whole } from './stem-names.ts'
import { releaseSplits } from './store.ts'
import { findPart, isOfTrim, readTrimId, requireSound, type WantedPart } from './wanted-part.ts'

/** Voice and accompaniment of a sound, by a service elsewhere. Throws problems in the words of the API. */
export interface Stems {
  status(isForced: boolean): Promise<StemStatus>
  /** Stores an account after asking the service whether it is good. */
  signIn(account: StemAccount): Promise<void>
  signOut(): Promise<void>
  /** Waits for the result, ten minutes at most. Both stems are made at once; the second is there already. */
  separate(jobId: string, query: StemQuery): Promise<StemResult>
  /** The stored file of a stem and the name it is saved under. */
  find(jobId: string, query: StemQuery): Promise<{ name: string; fileName: string }>
}

/** Dependencies of `openStems`. */
export interface StemParts extends SeparationParts, Omit<AccountParts, 'db' | 'settings' | 'clock' | 'client'> {
  readonly keeper: AccountParts['settings']
  readonly trims: Pick<Trims, 'list'>
}

/** Stems that can be closed: what is under way stops, and goes on when it is asked for again. */
export type OpenStems = Stems & { close(): Promise<void> }

/** Opens the account and frees what an earlier life of this process had under way. */
export async function openStems(parts: StemParts): Promise<OpenStems> {
  // Whoever else worked on this database is gone: its file is ours alone.
  if (parts.database.kind === 'sqlite') await releaseSplits(parts.database.query)
  return createStems(parts)
}

function createStems(parts: StemParts): OpenStems {
  const { jobs, artifacts, trims } = parts
  const accounts = new AccountKeeper({
    ...parts,
    db: parts.database.query,
    settings: parts.keeper,
    clock: parts.timers,
  })
  const separations = new Separations(parts)

  async function separate(jobId: string, query: StemQuery): Promise<StemResult> {
    const job = requireSound(await jobs.row(jobId))
    const account = accounts.current()
    const part = await findPart(job, query, trims).catch((error: unknown) => {
      throw account === undefined ? noAccount() : error
    })
    if (await separations.isDone(part)) return resultOf(part, query, true)
    if (account === undefined) throw noAccount()
    if (parts.settings().stemsvc_duration_guard) refuseLong(part)
    await separations.run(part, account.key).finally(() => accounts.doubt())
    return resultOf(part, query, false)
  }

  async function find(jobId: string, query: StemQuery): Promise<{ name: string; fileName: string }> {
    const job = await jobs.row(jobId)
    if (!isDownloadable(job.status)) throw notFound('stem')
    const isTrimmed = isOfTrim(query)
    const variant = isTrimmed ? (readTrimId(query) ?? onlyTrim(await artifacts.list(job.id), query)) : whole
    const name = stemArtifact(variant, query.stem)
    if ((await findDerived(artifacts, job, name)) === undefined) throw notFound('stem')
    return { name, fileName: stemName(job, query.stem, isTrimmed) }
  }

  return {
    status: (isForced) => accounts.status(isForced),
    signIn: (account) => accounts.signIn(account),
    signOut: () => accounts.signOut(),
    separate,
    find,
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
