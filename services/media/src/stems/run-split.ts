import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Timers } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Slots } from '../conversion/slots.ts'
import { keepDerived } from '../delivery/derived-file.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Settings } from '../settings/schema.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { runSeparation, type StemFiles } from './separation.ts'
import type { SeparationRecord } from './separation-record.ts'
import type { SplitLease } from './split-lease.ts'
import type { SplitProgress } from './split-progress.ts'
import { writeSplitRecord, type SplitOrigin } from './split-record.ts'
import type { StemClient } from './stem-client.ts'
import { bothStems, stemArtifact } from './stem-names.ts'
import type { WantedPart } from './wanted-part.ts'

/** Dependencies of `runSplit`. */
export interface RunSplitParts {
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  /** Folder where files may lie while they are made. */
  readonly folder: string
  readonly client: StemClient
  readonly timers: Timers
  readonly settings: () => Settings
}

/** One split that has begun. */
export interface BegunSplit {
  readonly part: WantedPart
  readonly key: string
  readonly origin: SplitOrigin
  readonly separation: SeparationRecord
  readonly lease: SplitLease
  readonly progress: SplitProgress
  readonly signal: AbortSignal
}

/** The longest sound while the duration guard is on, and while it is off, seconds. */
export const guardedSeconds = 600
const unguardedSeconds = 86_400
const conversionLimit = 300_000
const gigabyte = 1024 ** 3

/** Makes both stems of a part and keeps them with its job; goes on where the record says. Rejects as `runSeparation`. */
export async function runSplit(parts: RunSplitParts, split: BegunSplit): Promise<void> {
  const { part, origin, lease, progress, signal } = split
  const own = join(parts.folder, randomUUID())
  await mkdir(own, { recursive: true, mode: 0o700 })
  const { stemsvc_duration_guard: isGuarded, stemsvc_max_download_gib } = parts.settings()
  try {
    await withSource(parts, { split, own }, (file) =>
      runSeparation({
        client: parts.client,
        key: split.key,
        record: split.separation,
        save: (record) => lease.save(writeSplitRecord(origin, record)),
        source: { file, name: `${part.job.id}.wav`, durationSeconds: part.durationMs / 1000 },
        into: own,
        signal,
        timers: parts.timers,
        onStage: (stage, percent) => progress.tell(stage, percent),
        publish: (files) => publish(parts, { split, own }, files),
        limits: {
          durationSeconds: isGuarded ? guardedSeconds : unguardedSeconds,
          resultBytes: stemsvc_max_download_gib * gigabyte,
        },
      }),
    )
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

interface Place {
  readonly split: BegunSplit
  /** A folder of this run's own. */
  readonly own: string
}

/** Calls the work with the file that is sent: WAV or FLAC as it is, anything else as WAV; nothing when it was sent already. */
async function withSource<T>(
  { artifacts, ffmpeg, slots }: RunSplitParts,
  { split, own }: Place,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const { part, separation, signal } = split
  const output = join(own, 'source.wav')
  if (separation.stage !== 'upload' && separation.sourceId !== undefined) return work(output)
  split.progress.tell('upload', 0)
  if (/\.(?:wav|flac)$/.test(part.artifact)) return artifacts.withLocalFile(part.job.id, part.artifact, work)
  await artifacts.withLocalFile(part.job.id, part.artifact, (file) =>
    slots.use(signal, () =>
      ffmpeg.convert({
        inputs: [file],
        words: ['-map', '0:a:0', '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'wav'],
        output,
        timeoutMs: conversionLimit,
        signal,
      }),
    ),
  )
  return work(output)
}

/** Keeps both stems as MP3. One that comes as such stays as it is: coding it a second time only costs quality. */
async function publish(parts: RunSplitParts, { split, own }: Place, files: StemFiles): Promise<void> {
  const { part, lease, signal } = split
  for (const stem of bothStems) {
    const facts = await parts.ffmpeg.probe(files[stem], signal)
    const file = facts.audio?.codec === 'mp3' ? files[stem] : await toMp3(parts, { split, own }, files[stem])
    await keepDerived(parts, part.job, { name: stemArtifact(part.variant, stem), file })
  }
  await lease.finish()
}

async function toMp3({ ffmpeg, slots }: RunSplitParts, { split, own }: Place, file: string): Promise<string> {
  const { signal } = split
  const output = join(own, `${randomUUID()}.mp3`)
  const words = ['-map', '0:a:0', '-c:a', 'libmp3lame', '-q:a', '0']
  await slots.use(signal, () => ffmpeg.convert({ inputs: [file], words, output, timeoutMs: conversionLimit, signal }))
  return output
}
