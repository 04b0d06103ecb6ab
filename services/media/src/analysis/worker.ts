import { parentPort } from 'node:worker_threads'
import type { Pieces } from './audio-pieces.ts'
import { estimateTempo, type TempoEstimate } from './estimate-tempo.ts'
import { hashFile } from '../artifacts/hash-file.ts'
import { estimateKey, type KeyEstimate } from './key/estimate-key.ts'

/** Task of a thread. */
export interface AnalysisTask {
  /** The file whose hash is wanted. */
  readonly file: string
  readonly pieces: Pieces<Float32Array>
  readonly sampleRate: number
}

/** Result of a task. */
export interface AnalysisResult {
  readonly tempo: TempoEstimate
  readonly key: KeyEstimate
  readonly hash: string
}

/** Answer of a thread. */
export type AnalysisAnswer = AnalysisResult | { readonly failure: string }

parentPort?.on('message', (task: AnalysisTask) => {
  void answer(task).then((result) => parentPort?.postMessage(result, []))
})

async function answer({ file, pieces, sampleRate }: AnalysisTask): Promise<AnalysisAnswer> {
  try {
    const hash = await hashFile(file)
    const tempo = estimateTempo(pieces.main, sampleRate, pieces.probes)
    return { tempo, key: estimateKey([pieces.main, ...pieces.probes], sampleRate), hash }
  } catch (error) {
    // File errors carry the path in their message.
    const { code, message } = error as NodeJS.ErrnoException
    return { failure: code ?? message }
  }
}
