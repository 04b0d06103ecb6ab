import { useEffect, useMemo, useState } from 'react'
import type { Waveform } from '../api.ts'
import { fitBeatGrid, snapPart, type BeatGrid } from './beat-grid.ts'
import { parseTime, partProblem, tidyPart, typedPart, type End, type Part } from './part.ts'
import type { Wave } from './wave.ts'

export type Snap = 'off' | 'beat' | 'bar'

/** The part of a sound that is chosen, and how it is chosen. */
export type PartTools = ReturnType<typeof usePart>

const beatsOf: Readonly<Record<Snap, number>> = { off: 0, beat: 1, bar: 4 }

/** A part as it was chosen; one that is there already is shown as it is, whatever is snapped to. */
interface Wanted extends Part {
  isExact: boolean
}

/** Keeps the chosen part of a sound. */
export function usePart(shape: Waveform, bpm: number | undefined) {
  const [snap, setSnap] = useState<Snap>('off')
  const [isLooping, setLooping] = useState(true)
  const { grid, setFirstBeat } = useBeats(shape, bpm)
  const selection = useSelection(shape.duration_seconds, snap === 'off' ? undefined : grid, beatsOf[snap])
  return {
    ...selection,
    snap,
    setSnap,
    /** A tempo is known. */
    maySnap: bpm !== undefined,
    /** Beats; undefined while they are not known. */
    grid,
    setFirstBeat,
    /** Step of an arrow key, seconds. */
    step: grid === undefined || snap === 'off' ? 0.1 : (60 / grid.bpm) * beatsOf[snap],
    isLooping,
    setLooping,
  }
}

/** Beats as found in the sound, or as set by ear. */
function useBeats(shape: Waveform, bpm: number | undefined) {
  const [first, setFirstBeat] = useState<number>()
  const grid = useMemo(() => {
    const fitted = bpm === undefined ? undefined : fitBeatGrid(shape, bpm)
    return bpm === undefined || first === undefined ? fitted : { bpm: fitted?.bpm ?? bpm, first }
  }, [shape, bpm, first])
  return { grid, setFirstBeat }
}

/** The chosen part, and what is being typed of it. With a grid both ends go to every so many beats. */
function useSelection(duration: number, grid: BeatGrid | undefined, every: number) {
  const [wanted, setWanted] = useState<Wanted>()
  const [draft, setDraft] = useState<Readonly<Partial<Record<End, string | undefined>>>>({})
  const part = useMemo(() => {
    if (wanted === undefined) return undefined
    const { isExact, ...chosen } = wanted
    const isAsIs = isExact || grid === undefined || partProblem(chosen, duration) !== undefined
    return isAsIs ? chosen : snapPart(chosen, grid, { every, duration })
  }, [wanted, grid, every, duration])
  /** From elsewhere than the fields: what was being typed there is over. */
  const replace = (next: Wanted | undefined) => {
    setDraft({})
    setWanted(next)
  }
  const moveTo = (end: End, seconds: number) =>
    setWanted({ ...typedPart(part, { [end]: seconds }, duration), isExact: false })
  const drop = (end: End) => setDraft({ ...draft, [end]: undefined })
  return {
    part,
    /** Text of a field while it is typed; undefined when the field shows the part. */
    draft,
    /** Takes what is typed into a field; the part follows as soon as it is a time. */
    type(end: End, text: string): void {
      setDraft({ ...draft, [end]: text })
      const seconds = parseTime(text)
      if (seconds !== undefined) moveTo(end, seconds)
    },
    /** Ends typing in a field: what is a time, or empty, gives way to the time of the part. */
    settle(end: End): void {
      const text = draft[end]
      if (text !== undefined && (text.trim() === '' || parseTime(text) !== undefined)) drop(end)
    },
    /** Moves one end exactly there, even past the other one. */
    move(end: End, seconds: number): void {
      drop(end)
      moveTo(end, seconds)
    },
    /** Takes a part as it was dragged; its ends snap to the beats while that is on. */
    choose: (next: Part) => replace({ ...tidyPart(next, duration), isExact: false }),
    /** Takes a part exactly as it is. */
    take: ({ start, end }: Part) => replace({ start, end, isExact: true }),
    clear: () => replace(undefined),
  }
}

/** Shows the part, and the beats while it snaps to them, on a wave. */
export function usePartOnWave(
  wave: Wave | undefined,
  { part, snap, grid, isLooping }: PartTools,
  duration: number,
): void {
  useEffect(() => {
    const isDrawable = part !== undefined && part.start < part.end && part.end <= duration + 0.0005
    wave?.showPart(isDrawable ? part : undefined)
  }, [wave, part, duration])
  useEffect(() => wave?.loop(isLooping), [wave, isLooping])
  useEffect(() => wave?.showGrid(snap === 'off' ? undefined : grid), [wave, snap, grid])
}
