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
  /** Where the beats are; undefined while no tempo is known. */
  grid: BeatGrid | undefined
  setFirstBeat: (seconds: number) => void
  /** How far an arrow key moves an end, seconds. */
  step: number
  isLooping: boolean
  setLooping: (isOn: boolean) => void
}

const beatsOf: Readonly<Record<Snap, number>> = { off: 0, beat: 1, bar: 4 }

/** Keeps the chosen part of a sound. */
export function usePart(shape: Waveform, bpm: number | undefined): PartTools {
  const [part, setPart] = useState<Part>()
  const [snap, setSnap] = useState<Snap>('off')
  const [isLooping, setLooping] = useState(true)
  const [first, setFirst] = useState<number>()
  const duration = shape.duration_seconds
  const fitted = useMemo(() => (bpm === undefined ? undefined : fitBeatGrid(shape, bpm)), [shape, bpm])
  const grid = useMemo(
    () => (fitted === undefined || first === undefined ? fitted : { ...fitted, first }),
    [fitted, first],
  )
  const snapped = (next: Part, how: Snap, to = grid) =>
    to === undefined || how === 'off' ? next : snapPart(next, to, { every: beatsOf[how], duration })
  return {
    part,
    choose: (next) => setPart(snapped(tidyPart(next, duration), snap)),
    take: ({ start, end }) => setPart({ start, end }),
    clear: () => setPart(undefined),
    snap,
    setSnap: (next) => {
      setSnap(next)
      if (part !== undefined) setPart(snapped(part, next))
    },
    grid,
    setFirstBeat: (seconds) => {
      setFirst(seconds)
      if (part !== undefined && grid !== undefined) setPart(snapped(part, snap, { ...grid, first: seconds }))
    },
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
