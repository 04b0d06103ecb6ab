import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { withTemporaryFolder, type Timers } from '@hearth/runtime'
import { keepDerived, type DerivedDependencies } from '../delivery/derived-file.ts'
import type { Settings } from '../settings/schema.ts'
import { runSeparation, type StemFiles } from './separation.ts'
import { writeSplitRecord, type SeparationRecord, type SplitOrigin } from './separation-record.ts'
import type { SplitLease } from './split-lease.ts'
import type { SplitProgress } from './split-progress.ts'
import type { StemClient } from './stem-client.ts'
import { bothStems, stemArtifact, type WantedPart } from './wanted-part.ts'

export interface RunSplitDependencies extends DerivedDependencies {
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

/** Maximum length of a sound with the duration guard, and without it, seconds. */
export const guardedSeconds = 600
const unguardedSeconds = 86_400
const conversionLimit = 300_000
const gigabyte = 1024 ** 3

/** Makes both stems of a part and stores them with its job; continues where the record says. Rejects as `runSeparation`. */
export async function runSplit(dependencies: RunSplitDependencies, split: BegunSplit): Promise<void> {
  const { part, origin, lease, progress, signal } = split
  const { stemsvc_duration_guard: isGuarded, stemsvc_max_download_gib } = dependencies.settings()
  await withTemporaryFolder(dependencies.folder, (own) =>
    withSource(dependencies, { ...split, own }, (file) =>
      runSeparation({
        client: dependencies.client,
        key: split.key,
        record: split.separation,
        save: (record) => lease.save(writeSplitRecord(origin, record)),
        source: { file, name: `${part.job.id}.wav`, durationSeconds: part.durationMs / 1000 },
        into: own,
        signal,
        timers: dependencies.timers,
        onStage: (stage, percent) => progress.report(stage, percent),
        publish: (files) => publish(dependencies, { ...split, own }, files),
        limits: {
          durationSeconds: isGuarded ? guardedSeconds : unguardedSeconds,
          resultBytes: stemsvc_max_download_gib * gigabyte,
        },
      }),
    ),
  )
}

/** A split and the temporary folder of this run. */
type SplitInFolder = BegunSplit & { readonly own: string }

/** Calls the work with the file that is sent: WAV or FLAC as it is, anything else as WAV; nothing when it was sent already. */
async function withSource<T>(
  dependencies: RunSplitDependencies,
  split: SplitInFolder,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const { part, separation, own } = split
  const output = join(own, 'source.wav')
  if (separation.stage !== 'upload' && separation.sourceId !== undefined) return work(output)
  split.progress.report('upload', 0)
  if (/\.(?:wav|flac)$/.test(part.artifact))
    return dependencies.artifacts.withLocalFile(part.job.id, part.artifact, work)
  const args = ['-map', '0:a:0', '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'wav']
  await dependencies.artifacts.withLocalFile(part.job.id, part.artifact, (file) =>
    convert(dependencies, split, { file, args, output }),
  )
  return work(output)
}

/** Keeps both stems as MP3. One that comes as such stays as it is: coding it a second time only costs quality. */
async function publish(dependencies: RunSplitDependencies, split: SplitInFolder, files: StemFiles): Promise<void> {
  const { part, lease, signal } = split
  for (const stem of bothStems) {
    const facts = await dependencies.ffmpeg.probe(files[stem], signal)
    const file = facts.audio?.codec === 'mp3' ? files[stem] : await toMp3(dependencies, split, files[stem])
    await keepDerived(dependencies, part.job, { name: stemArtifact(part.variant, stem), file })
  }
  await lease.finish()
}

async function toMp3(dependencies: RunSplitDependencies, split: SplitInFolder, file: string): Promise<string> {
  const output = join(split.own, `${randomUUID()}.mp3`)
  const args = ['-map', '0:a:0', '-c:a', 'libmp3lame', '-q:a', '0']
  await convert(dependencies, split, { file, args, output })
  return output
}

function convert(
  { ffmpeg, slots }: RunSplitDependencies,
  { signal }: BegunSplit,
  { file, ...conversion }: { file: string; args: readonly string[]; output: string },
): Promise<void> {
  return slots.use(signal, () => ffmpeg.convert({ ...conversion, inputs: [file], timeoutMs: conversionLimit, signal }))
}
