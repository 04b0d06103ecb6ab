import { useEffect, useMemo, useState } from 'react'
import type { Waveform } from '../api.ts'
import { type BeatGrid, fitBeatGrid, snapPart } from './beat-grid.ts'
import { type End, type Part, parseTime, partProblem, tidyPart, typedPart } from './part.ts'
import type { Wave } from './wave.ts'

export type Snap = 'off' | 'beat' | 'bar'

/** The part of a sound that is chosen, and how it is chosen. */
export interface PartTools {
  part: Part | undefined
  /** Takes a part as it was dragged; its ends go to the beats while that is wished. */
  choose: (part: Part) => void
  /** What stands in a field while it is typed; undefined when the field shows the part. */
  draft: Readonly<Partial<Record<End, string>>>
  /** Takes what is typed into a field; the part follows as soon as it is a time. */
  type: (end: End, text: string) => void
  /** Ends typing in a field: what is a time, or empty, gives way to the part's own. */
  settle: (end: End) => void
  /** Moves one end exactly there, even past the other one. */
  move: (end: End, seconds: number) => void
  /** Takes a part exactly as it is. */
  take: (part: Part) => void
  clear: () => void
  snap: Snap
  setSnap: (snap: Snap) => void
  /** A tempo is known. */
  maySnap: boolean
  /** Where the beats are; undefined while that is not known. */
  grid: BeatGrid | undefined
  setFirstBeat: (seconds: number) => void
  /** How far an arrow key moves an end, seconds. */
  step: number
  isLooping: boolean
  setLooping: (isOn: boolean) => void
}

const beatsOf: Readonly<Record<Snap, number>> = { off: 0, beat: 1, bar: 4 }

/** A part as it was chosen; one that is there already is shown as it is, whatever is snapped to. */
interface Wanted extends Part {
  isExact: boolean
}

/** Keeps the chosen part of a sound. */
export function usePart(shape: Waveform, bpm: number | undefined): PartTools {
  const [wanted, setWanted] = useState<Wanted>()
  const [snap, setSnap] = useState<Snap>('off')
  const [isLooping, setLooping] = useState(true)
  const [first, setFirst] = useState<number>()
  const [draft, setDraft] = useState<PartTools['draft']>({})
  const duration = shape.duration_seconds
  const grid = useMemo(() => {
    const fitted = bpm === undefined ? undefined : fitBeatGrid(shape, bpm)
    return bpm === undefined || first === undefined ? fitted : { bpm: fitted?.bpm ?? bpm, first }
  }, [shape, bpm, first])
  const part = useMemo(() => {
    if (wanted === undefined) return undefined
    const { isExact, ...chosen } = wanted
    const isAsIs = isExact || grid === undefined || snap === 'off' || partProblem(chosen, duration) !== undefined
    if (isAsIs) return chosen
    return snapPart(chosen, grid, { every: beatsOf[snap], duration })
  }, [wanted, grid, snap, duration])
  /** From elsewhere than the fields: what was being typed there is over. */
  const replace = (next: Wanted | undefined) => {
    setDraft({})
    setWanted(next)
  }
  const moved = (end: End, seconds: number) => ({ ...typedPart(part, { [end]: seconds }, duration), isExact: false })
  return {
    part,
    draft,
    type(end, text) {
      setDraft({ ...draft, [end]: text })
      const seconds = parseTime(text)
      if (seconds !== undefined) setWanted(moved(end, seconds))
    },
    settle(end) {
      const { [end]: text, ...rest } = draft
      if (text !== undefined && (text === '' || parseTime(text) !== undefined)) setDraft(rest)
    },
    move(end, seconds) {
      const { [end]: _text, ...rest } = draft
      setDraft(rest)
      setWanted(moved(end, seconds))
    },
    choose: (next) => replace({ ...tidyPart(next, duration), isExact: false }),
    take: ({ start, end }) => replace({ start, end, isExact: true }),
    clear: () => replace(undefined),
    snap,
    setSnap,
    maySnap: bpm !== undefined,
    grid,
    setFirstBeat: setFirst,
    step: grid === undefined || snap === 'off' ? 0.1 : (60 / grid.bpm) * beatsOf[snap],
    isLooping,
    setLooping,
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
