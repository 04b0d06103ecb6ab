import type { Stretch } from './audio-pieces.ts'

/** Samples a second of what the estimator gets. */
export const analysisRate = 22_050

/**
 * Reads a stretch of the first audio stream of a file as mono samples at `analysisRate`; shorter, or empty, where the file ends
 * earlier. Rejects with an `AnalysisFailed` when it cannot be read, and with the signal's reason when aborted; by then nothing
 * runs any more.
 */
export type DecodeAudio = (file: string, options: Stretch & { readonly signal: AbortSignal }) => Promise<Float32Array>
