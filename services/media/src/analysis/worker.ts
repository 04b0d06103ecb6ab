import { parentPort } from 'node:worker_threads'
import type { Pieces } from './audio-pieces.ts'
import { estimateTempo, noTempo, type TempoEstimate } from './estimate-tempo.ts'
import { hashFile } from '../artifacts/hash-file.ts'
import { estimateKey, type KeyEstimate } from './key/estimate-key.ts'
import { onsetEnvelopes, type OnsetEnvelopes } from './onset-envelope.ts'
import { findBeats, type TrackedBeats } from './tempo/find-beats.ts'

/** Tasks of a thread, by their kind. */
export interface ThreadTasks {
  /** Tempo and key of the pieces, and the hash of the file. */
  readonly analyse: {
    readonly file: string
    readonly pieces: Pieces<Float32Array>
    readonly sampleRate: number
    readonly withTempo: boolean
  }
  readonly onsets: { readonly samples: Float32Array; readonly sampleRate: number }
  /** The beats of a sound whose tempo is known. */
  readonly beats: { readonly onsets: OnsetEnvelopes; readonly bpm: number }
}
/** Kind of a task. */
export type TaskKind = keyof ThreadTasks

/** Results of the tasks. */
export interface ThreadResults {
  readonly analyse: { readonly tempo: TempoEstimate; readonly key: KeyEstimate; readonly hash: string }
  readonly onsets: OnsetEnvelopes
  readonly beats: TrackedBeats
}

/** Answer of a thread. */
export type ThreadAnswer<Kind extends TaskKind> =
  | { readonly result: ThreadResults[Kind] }
  | { readonly failure: string }

type Message = { [Kind in TaskKind]: { readonly kind: Kind } & ThreadTasks[Kind] }[TaskKind]

parentPort?.on('message', (message: Message) => {
  void answer(message).then((result) => parentPort?.postMessage(result, []))
})

async function answer(message: Message): Promise<ThreadAnswer<TaskKind>> {
  try {
    return { result: await work(message) }
  } catch (error) {
    // File errors carry the path in their message.
    const { code, message } = error as NodeJS.ErrnoException
    return { failure: code ?? message }
  }
}

async function work(task: Message): Promise<ThreadResults[TaskKind]> {
  if (task.kind === 'onsets') return onsetEnvelopes(task.samples, task.sampleRate)
  if (task.kind === 'beats') return findBeats(task.onsets, task.bpm)
  const { pieces, sampleRate, withTempo } = task
  const hash = await hashFile(task.file)
  const tempo = withTempo ? estimateTempo(pieces.main, sampleRate, pieces.probes) : noTempo
  return { tempo, key: estimateKey([pieces.main, ...pieces.probes], sampleRate), hash }
}
