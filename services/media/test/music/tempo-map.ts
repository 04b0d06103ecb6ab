/** The tempo of a piece. `ramp` goes evenly from the first to the second tempo, `drift` swings around the tempo by `share`. */
export type Tempo =
  | { readonly bpm: number }
  | { readonly ramp: readonly [number, number] }
  | { readonly drift: number; readonly share: number; readonly everySeconds: number }
  | { readonly change: readonly [number, number]; readonly atSeconds: number }

/** Beats a minute at a moment of a piece of `length` seconds. */
export function bpmAt(tempo: Tempo, seconds: number, length: number): number {
  if ('bpm' in tempo) return tempo.bpm
  if ('ramp' in tempo) return tempo.ramp[0] + ((tempo.ramp[1] - tempo.ramp[0]) * seconds) / length
  if ('drift' in tempo) return tempo.drift * (1 + tempo.share * Math.sin((2 * Math.PI * seconds) / tempo.everySeconds))
  return seconds < tempo.atSeconds ? tempo.change[0] : tempo.change[1]
}

/** The right answers: one tempo, or two when the tempo changes. */
export function rightTempi(tempo: Tempo): readonly number[] {
  if ('bpm' in tempo) return [tempo.bpm]
  if ('ramp' in tempo) return [(tempo.ramp[0] + tempo.ramp[1]) / 2]
  if ('drift' in tempo) return [tempo.drift]
  return tempo.change
}

/** The same music faster or slower, to see whether an answer hangs on one exact tempo. */
export function scaleTempo(tempo: Tempo, factor: number): Tempo {
  if ('bpm' in tempo) return { bpm: tempo.bpm * factor }
  if ('ramp' in tempo) return { ramp: [tempo.ramp[0] * factor, tempo.ramp[1] * factor] }
  if ('drift' in tempo) return { ...tempo, drift: tempo.drift * factor }
  return { ...tempo, change: [tempo.change[0] * factor, tempo.change[1] * factor] }
}

const stepsPerBeat = 48

/** Maps a place in beats to seconds, for a piece of `length` seconds. */
export function beatClock(tempo: Tempo, length: number): (beat: number) => number {
  const times = [0]
  while (times.at(-1)! < length) {
    const now = times.at(-1)!
    times.push(now + 60 / bpmAt(tempo, now, length) / stepsPerBeat)
  }
  return (beat) => {
    const place = Math.max(0, beat) * stepsPerBeat
    const index = Math.min(Math.floor(place), times.length - 2)
    return times[index]! + (place - index) * (times[index + 1]! - times[index]!)
  }
}
