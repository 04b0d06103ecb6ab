import {
  analysisRate,
  choosePieces,
  cutPieces,
  maxReadSeconds,
  readWhole,
  type DecodeAudio,
  type Pieces,
} from './audio-pieces.ts'
import { minSeconds, type TempoEstimate } from './estimate-tempo.ts'
import type { KeyEstimate } from './key/estimate-key.ts'
import { readOnsets } from './read-onsets.ts'
import { foldingFactor, type OctaveWindow } from './octave-rule.ts'
import type { TrackedBeats } from './tempo/find-beats.ts'
import { createThreadPool, type WorkOptions } from './thread-pool.ts'
import { unknownLevels, type MeasureLevels, type SoundLevels } from './sound-levels.ts'

/** Version of the analysis; a higher one finds more, or finds it better. */
export const analyserVersion = 2

/** Analysis of an audio file. Without a tempo the first four members are null. */
export interface AudioAnalysis {
  /** Beats a minute, whole, from 40 to 220, or in the octave window where there is one. */
  readonly bpm: number | null
  /** As estimated, three decimals: not folded. */
  readonly rawBpm: number | null
  /** The other octave the beat may be felt in, whole; null when there is none. */
  readonly alternativeBpm: number | null
  /** 0 to 1, four decimals. */
  readonly confidence: number | null
  /** Place of the key on the Camelot wheel, 0 to 23; null when none is sure enough. */
  readonly key: number | null
  /** 0 to 1, four decimals; null without a key. */
  readonly keyConfidence: number | null
  readonly levels: SoundLevels
  /** SHA-256 of the whole file, hexadecimal. */
  readonly hash: string
}

/** Options of an analysis. */
export interface AnalysisOptions extends WorkOptions {
  /** Length of the track as far as it is known; finds the middle without reading everything before it. */
  readonly durationSeconds?: number | null | undefined
  /** False leaves the tempo out: key and levels alone are found. */
  readonly withTempo?: boolean | undefined
  /** Tempi to be folded into; none are where not given. */
  readonly octaveWindow?: OctaveWindow | undefined
}

/** Analyses audio files, a few at a time. */
export type Analyser = ReturnType<typeof createAnalyser>

export interface AnalyserDependencies {
  readonly decode: DecodeAudio
  /** Measures loudness and silence; without it they are null. */
  readonly measure?: MeasureLevels
  /** Number of files analysed at the same time: a decoder and a thread each. */
  readonly slots: number
  /** Number of files that may wait; 1000 where not given. */
  readonly maxWaiting?: number
  /** Another script for the threads than `worker.ts`. */
  readonly script?: URL
}

/** Creates an analyser; processes and threads are started when there is something to analyse. */
export function createAnalyser(dependencies: AnalyserDependencies) {
  const { decode, slots, maxWaiting = 1000 } = dependencies
  const script = dependencies.script ?? new URL('worker.ts', import.meta.url)
  const threads = createThreadPool({ count: slots, maxWaiting, script })

  /** The meter reads the whole sound, so it may be too late where the rest was not; what was found until then stays. */
  async function measureLevels(file: string, options: AnalysisOptions, signal: AbortSignal): Promise<SoundLevels> {
    try {
      return (await dependencies.measure?.(file, { signal, timeoutMs: options.timeoutMs })) ?? unknownLevels
    } catch (error) {
      if (options.signal.aborted || threads.isClosing()) throw error
      return unknownLevels
    }
  }

  return {
    /** Rejects with an `AnalysisFailed`, or with the signal's reason when aborted. */
    analyse: (file: string, options: AnalysisOptions): Promise<AudioAnalysis> =>
      threads.use(options, async (thread, signal) => {
        const pieces = await readPieces(decode, file, { signal, durationSeconds: options.durationSeconds ?? null })
        const task = { file, pieces, sampleRate: analysisRate, withTempo: options.withTempo ?? true }
        const { tempo, key, hash } = await thread.run('analyse', task, signal)
        const levels = await measureLevels(file, options, signal)
        return { ...describeTempo(tempo, options.octaveWindow), ...describeKey(key), levels, hash }
      }),
    /** Finds the beats of a whole sound whose tempo is `bpm`; rejects as `analyse`. */
    findBeats: (file: string, bpm: number, options: WorkOptions): Promise<TrackedBeats> =>
      threads.use(options, async (thread, signal) => {
        const onsets = await readOnsets(decode, thread, { file, signal })
        return thread.run('beats', { onsets, bpm }, signal)
      }),
    /** Stops what runs and refuses what waits; resolves when nothing runs any more. */
    close: (): Promise<void> => threads.close(),
  }
}

/** Reads the pieces of a long track one by one, a short one or one of unknown length as a whole. */
async function readPieces(
  decode: DecodeAudio,
  file: string,
  { signal, durationSeconds }: { signal: AbortSignal; durationSeconds: number | null },
): Promise<Pieces<Float32Array>> {
  if (durationSeconds !== null && durationSeconds > readWhole && Number.isFinite(durationSeconds)) {
    const stretches = choosePieces(durationSeconds)
    const main = await decode(file, { ...stretches.main, signal })
    const probes: Float32Array[] = []
    for (const stretch of stretches.probes) probes.push(await decode(file, { ...stretch, signal }))
    if (main.length >= minSeconds * analysisRate) return { main, probes }
    // The length was wrong: what there is lies before the middle.
  }
  return cutPieces(await decode(file, { startSeconds: 0, lengthSeconds: maxReadSeconds, signal }), analysisRate)
}

function describeKey({ key, confidence }: KeyEstimate): Pick<AudioAnalysis, 'key' | 'keyConfidence'> {
  return { key, keyConfidence: key === null ? null : Math.round(confidence * 10_000) / 10_000 }
}

type TempoMembers = Pick<AudioAnalysis, 'bpm' | 'rawBpm' | 'alternativeBpm' | 'confidence'>

function describeTempo(tempo: TempoEstimate, window: OctaveWindow | undefined): TempoMembers {
  const { bpm, alternative, confidence } = tempo
  if (bpm === null) return { bpm: null, rawBpm: null, alternativeBpm: null, confidence: null }
  const factor = foldingFactor(bpm, window)
  const other = factor === 1 ? alternative : bpm
  return {
    bpm: Math.round(bpm * factor),
    rawBpm: Math.round(bpm * 1000) / 1000,
    alternativeBpm: other === null ? null : Math.round(other),
    confidence: Math.round(confidence * 10_000) / 10_000,
  }
}
