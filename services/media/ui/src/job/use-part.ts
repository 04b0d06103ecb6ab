import { useEffect, useMemo, useState } from 'react'
import type { Waveform } from '../api.ts'
import { type BeatGrid, fitBeatGrid, snapPart } from './beat-grid.ts'
import { type Part, tidyPart } from './part.ts'
import type { Wave } from './wave.ts'

export type Snap = 'off' | 'beat' | 'bar'

/** The part of a sound that is chosen, and how it is chosen. */
export interface PartTools {
  part: Part | undefined
  /** Takes a part as it was dragged or typed; its ends go to the beats while that is wished. */
  choose: (part: Part) => void
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
  const duration = shape.duration_seconds
  const grid = useMemo(() => {
    const fitted = bpm === undefined ? undefined : fitBeatGrid(shape, bpm)
    return bpm === undefined || first === undefined ? fitted : { bpm: fitted?.bpm ?? bpm, first }
  }, [shape, bpm, first])
  const part = useMemo(() => {
    if (wanted === undefined) return undefined
    const { isExact, ...chosen } = wanted
    if (isExact || grid === undefined || snap === 'off') return chosen
    return snapPart(chosen, grid, { every: beatsOf[snap], duration })
  }, [wanted, grid, snap, duration])
  return {
    part,
    choose: (next) => setWanted({ ...tidyPart(next, duration), isExact: false }),
    take: ({ start, end }) => setWanted({ start, end, isExact: true }),
    clear: () => setWanted(undefined),
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
export function usePartOnWave(wave: Wave | undefined, { part, snap, grid, isLooping }: PartTools): void {
  useEffect(() => wave?.showPart(part), [wave, part])
  useEffect(() => wave?.loop(isLooping), [wave, isLooping])
  useEffect(() => wave?.showGrid(snap === 'off' ? undefined : grid), [wave, snap, grid])
}
