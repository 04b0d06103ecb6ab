import { rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { createMeasureLevels, type SoundLevels } from '../analysis/sound-levels.ts'
import { encodingFor } from '../delivery/formats.ts'
import { exportName } from '../jobs/file-names.ts'
import type { JobRow } from '../tables.ts'
import { withCover } from '../tags/cover.ts'
import { convertTagged } from '../tags/tagged-output.ts'
import type { Ffmpeg, StretchFilter } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { betweenSteps, cutParts, passesFor, type SampledSound } from './cut-parts.ts'
import { exportArtifact } from './export-files.ts'
import type { ExportProgress } from './export-progress.ts'
import { gainFilter, gainFor, stretchedSamples, stretchFilter, type Gain } from './filters.ts'
import type { ExportPlan, StoredFile } from './schema.ts'
import { tagsOfPart } from './part-tags.ts'

/** Means to make the files of an export. */
export interface ExportTools {
  readonly ffmpeg: Ffmpeg
  /** Folder for temporary files, for this export alone. */
  readonly folder: string
  readonly timeoutMs: number
  /** Runs one command when a slot is free. */
  readonly inSlot: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>
  readonly progress: ExportProgress
}

/** What is exported, and where its files go. */
export interface ExportTask {
  readonly id: string
  readonly job: JobRow & { readonly artifact: string }
  readonly plan: ExportPlan
  readonly artifacts: ArtifactStore
  /** Keeps room for all of it; before anything is made. */
  readonly reserve: (source: { readonly sampleRate: number; readonly channels: number }) => Promise<void>
  /** Stores a finished file, which may be moved. */
  readonly keep: (name: string, file: string) => Promise<void>
}

/** One file to make: its number, its name, and the sound that goes into it. */
interface Wanted {
  readonly number: number
  readonly count: number
  readonly name: string
  readonly sound: SampledSound
}

const isStretched = ({ tempo_percent, semitones }: ExportPlan): boolean => tempo_percent !== 100 || semitones !== 0

/** Number of steps of an export, each of which is advanced once. */
export function stepsOf(plan: ExportPlan): number {
  const files = plan.joined ? 1 : plan.parts.length
  const perFile = 1 + (isStretched(plan) ? 1 : 0)
  return passesFor(plan.parts.length) + files * perFile
}

/** Makes the files of an export one after another and keeps each. Returns what they are, and the filter that stretched them. */
export async function makeFiles(
  tools: ExportTools,
  task: ExportTask,
): Promise<{ files: StoredFile[]; stretch: StretchFilter | null }> {
  const { plan } = task
  const sounds = await task.artifacts.withLocalFile(task.job.id, task.job.artifact, async (file) => {
    const { audio } = await tools.inSlot((signal) => tools.ffmpeg.probe(file, signal))
    if (audio === undefined || audio.sampleRate <= 0) throw new MediaFailure('conversion', 'it has no sound')
    await task.reserve(audio)
    return cutParts(tools, plan.parts, { file, sampleRate: audio.sampleRate })
  })
  const stretch = isStretched(plan) ? await tools.ffmpeg.stretchFilter() : null
  const files: StoredFile[] = []
  for (const wanted of await wantedFiles(tools, plan, sounds))
    files.push(await makeFile(tools, task, { ...wanted, stretch }))
  return { files, stretch }
}

async function wantedFiles(
  { folder }: ExportTools,
  { joined, parts }: ExportPlan,
  sounds: readonly SampledSound[],
): Promise<Wanted[]> {
  const [first] = sounds
  if (!joined || sounds.length === 1 || first === undefined)
    return sounds.map((sound, index) => {
      const number = index + 1
      return { number, count: sounds.length, name: parts[index]?.name ?? '', sound }
    })
  const file = join(folder, 'joined.ffconcat')
  const lines = sounds.map((sound) => `file ${basename(sound.file)}`)
  await writeFile(file, `${['ffconcat version 1.0', ...lines].join('\n')}\n`, { mode: 0o600 })
  const samples = sounds.reduce((sum, sound) => sum + sound.samples, 0)
  return [{ number: 1, count: 1, name: 'joined', sound: { ...first, file, samples } }]
}

async function makeFile(
  tools: ExportTools,
  task: ExportTask,
  wanted: Wanted & { readonly stretch: StretchFilter | null },
): Promise<StoredFile> {
  const { plan, job } = task
  const sound =
    wanted.stretch === null ? wanted.sound : await stretched(tools, plan, { ...wanted, stretch: wanted.stretch })
  const wantedLoudness = plan.loudness_lufs
  const before = wantedLoudness === null ? undefined : await measured(tools, sound.file)
  const gain = wantedLoudness === null || before === undefined ? undefined : gainFor(wantedLoudness, before)
  const { file, extension } = await encoded(tools, task, { ...wanted, sound, gain })
  tools.progress.advance()
  const { size } = await stat(file)
  // Silence, and what is too short to be measured, has no loudness.
  const hasLoudness = before !== undefined && before.loudnessLufs !== null
  const unlimited = hasLoudness ? wantedLoudness : null
  const reached = gain?.isLimited === true ? (await measured(tools, file)).loudnessLufs : unlimited
  const artifact = exportArtifact(task.id, wanted.number, extension)
  await task.keep(artifact, file)
  // Room for the next one, when the file was copied and not moved.
  for (const used of new Set([file, sound.file, ...(plan.joined ? [] : [wanted.sound.file])]))
    await rm(used, { force: true })
  return {
    artifact,
    name: exportName(job, { ...wanted, extension }),
    size_bytes: size,
    samples: sound.samples,
    sample_rate: sound.sampleRate,
    loudness_lufs: reached,
    gain_db: gain?.db ?? null,
    limited: gain?.isLimited ?? false,
  }
}

async function stretched(
  tools: ExportTools,
  plan: ExportPlan,
  { number, sound, stretch }: Wanted & { readonly stretch: StretchFilter },
): Promise<SampledSound> {
  const change = { tempo: plan.tempo_percent / 100, semitones: plan.semitones, filter: stretch }
  const output = join(tools.folder, `stretched-${number}.wav`)
  // Time stamps between the parts of a list are rounded; the samples are not.
  const filter = `asetpts=N/SR/TB,${stretchFilter(change, sound)}`
  const args = ['-map', '0:a:0', '-af', filter, ...betweenSteps]
  const shared = { inputs: [sound.file], args, output, ...followed(tools, sound, change.tempo) }
  await tools.inSlot((signal) => tools.ffmpeg.convert({ ...shared, signal }))
  tools.progress.advance()
  return { ...sound, file: output, samples: stretchedSamples(sound.samples, change) }
}

/** Time limit and progress of a command that makes a sound of another one, so many times as fast. */
const followed = ({ timeoutMs, progress }: ExportTools, { samples, sampleRate }: SampledSound, tempo: number) => ({
  timeoutMs,
  durationMs: (samples / sampleRate / tempo) * 1000,
  onProgress: (percent: number) => progress.within(percent),
})

function measured(tools: ExportTools, file: string): Promise<SoundLevels> {
  const measure = createMeasureLevels(tools.ffmpeg)
  return tools.inSlot((signal) => measure(file, { signal, timeoutMs: tools.timeoutMs }))
}

async function encoded(
  tools: ExportTools,
  { job, plan, artifacts }: ExportTask,
  { number, name, sound, gain }: Wanted & { readonly gain: Gain | undefined },
): Promise<{ file: string; extension: string }> {
  // What is encoded is never of the format already.
  const encoding = encodingFor(plan.format, { ...job, codec: 'pcm_f32le' })
  const isChanged = gain !== undefined && (gain.db !== 0 || gain.isLimited)
  const filters = ['asetpts=N/SR/TB', ...(isChanged ? [gainFilter(gain, sound)] : [])]
  const args = ['-map', '0:a:0', '-af', filters.join(','), ...encoding.args, ...encoding.container]
  const output = join(tools.folder, `file-${number}.${encoding.extension}`)
  const { ffmpeg } = tools
  const progress = followed(tools, sound, 1)
  await withCover(artifacts, job.id, (cover) =>
    tools.inSlot((signal) => {
      const conversion = { inputs: [sound.file], args, output, ...progress, signal }
      const { form } = encoding
      if (form === undefined) return ffmpeg.convert(conversion)
      return convertTagged(ffmpeg, conversion, { tags: tagsOfPart(job, plan, name), form, cover, videos: 0 })
    }),
  )
  return { file: output, extension: encoding.extension }
}
