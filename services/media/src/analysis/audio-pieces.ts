/** A stretch of a track, seconds. */
export interface Stretch {
  readonly startSeconds: number
  readonly lengthSeconds: number
}

/** Pieces of a track that are analysed. */
export interface Pieces<Piece> {
  /** The middle: beginnings are often without a beat. */
  readonly main: Piece
  /** Near the beginning and the end, to find out whether the tempo changes. */
  readonly probes: readonly Piece[]
}

/** Maximum of a track that is read, seconds, whatever its length. */
export const maxReadSeconds = 600
/** Tracks up to this are read in one go, seconds; of longer ones only the pieces. */
export const readWhole = 180

const lengths = { main: 120, probe: 30 } as const
/** Distance of the probes from the ends, as a share of the track. */
const edge = 0.1

/** The middle two minutes of a track and two probes of half a minute; a track shorter than that has no probes. */
export function choosePieces(durationSeconds: number): Pieces<Stretch> {
  if (durationSeconds <= lengths.main) return { main: { startSeconds: 0, lengthSeconds: durationSeconds }, probes: [] }
  const probe = (startSeconds: number) => ({ startSeconds, lengthSeconds: lengths.probe })
  return {
    main: { startSeconds: (durationSeconds - lengths.main) / 2, lengthSeconds: lengths.main },
    probes: [probe(durationSeconds * edge), probe(durationSeconds * (1 - edge) - lengths.probe)],
  }
}

/** The pieces of a track that was read as a whole. */
export function cutPieces(samples: Float32Array, sampleRate: number): Pieces<Float32Array> {
  const cut = ({ startSeconds, lengthSeconds }: Stretch) => {
    const from = Math.round(startSeconds * sampleRate)
    const to = from + Math.round(lengthSeconds * sampleRate)
    return from === 0 && to >= samples.length ? samples : samples.slice(from, to)
  }
  const { main, probes } = choosePieces(samples.length / sampleRate)
  return { main: cut(main), probes: probes.map(cut) }
}

/** Samples a second of what the estimator gets. */
export const analysisRate = 22_050

/**
 * Reads a stretch of the first audio stream of a file as mono samples at `analysisRate`; shorter, or empty, where the file ends
 * earlier. Rejects with an `AnalysisFailed` when it cannot be read, and with the signal's reason when aborted; by then nothing
 * runs any more.
 */
export type DecodeAudio = (file: string, options: Stretch & { readonly signal: AbortSignal }) => Promise<Float32Array>
