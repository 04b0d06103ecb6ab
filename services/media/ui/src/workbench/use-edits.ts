import { notifyProblem } from '@hearth/ui'
import { useMemo } from 'react'
import { countBeats, loopAt, snapTo, stepBeats, type Beats } from './beats.ts'
import { newId } from './new-id.ts'
import { minPart, type Content, type Edit, type Part } from './session.ts'
import type { SoundDeck } from './sound-deck.ts'
import type { WorkbenchSession } from './use-session.ts'
import type { WaveCanvas } from './wave-canvas.ts'
import type { BeatGrid } from '../api.ts'

/** What the tools of the workbench work on. */
export interface WorkbenchContext {
  readonly session: WorkbenchSession
  readonly deck: SoundDeck | undefined
  readonly wave: WaveCanvas | undefined
  readonly beats: Beats | undefined
  readonly duration: number
  readonly selected: string | undefined
  readonly select: (id: string | undefined) => void
}

/** Beats of a sound as they are counted in this session. */
export const useCountedBeats = (found: BeatGrid | undefined, grid: Content['grid']): Beats | undefined =>
  useMemo(() => (found === undefined ? undefined : countBeats(found, grid)), [found, grid])

/** Length of a part of which only one end is set, seconds. */
const usualLength = 8

/** Step by which a part is moved that snaps to nothing, seconds. */
const freeStep = 0.1

/** Everything that a button, a key or the pointer does. */
export type Edits = ReturnType<typeof createEdits>

/** Creates what the tools do. */
export function createEdits(context: WorkbenchContext) {
  const base = createBase(context)
  return { ...base, ...createPartEdits(context, base), ...createMoves(context, base) }
}

type Base = ReturnType<typeof createBase>

function createBase({ session, deck, wave, beats, selected, select }: WorkbenchContext) {
  const { grid, parts } = session.content
  const run = (edit: Edit, gesture?: string) =>
    session.dispatch(gesture === undefined ? edit : { type: 'edit', edit, gesture })
  return {
    run,
    part: parts.find(({ id }) => id === selected),
    time: () => deck?.time() ?? 0,
    snap: (seconds: number) => snapTo(seconds, beats, grid.snap),
    /** Adds a part and selects it; returns its id. */
    add: (start: number, end: number, { gesture, loop = null }: { gesture?: string; loop?: Part['loop'] } = {}) => {
      const id = newId()
      run({ type: 'add-part', id, start, end, loop }, gesture)
      select(id)
      return id
    },
    seek: (seconds: number) => {
      deck?.seek(seconds)
      wave?.reveal(seconds)
    },
  }
}

function createPartEdits(
  { session, beats, wave, duration, select }: WorkbenchContext,
  { run, part, time, snap, add }: Base,
) {
  const { parts } = session.content
  /** Sets one end of the selected part at the playhead, or begins a part there. */
  const mark = (end: 'start' | 'end') => {
    const at = snap(time())
    if (part !== undefined) run({ type: 'move-end', id: part.id, end, to: at })
    else if (end === 'start') add(at, Math.min(duration, at + usualLength))
    else add(Math.max(0, at - usualLength), at)
  }
  return {
    markIn: () => mark('start'),
    markOut: () => mark('end'),
    addHere: () => {
      const at = snap(time())
      add(at, Math.min(duration, Math.max(at + minPart, snap(at + usualLength))))
    },
    split: () => {
      const at = snap(time())
      const under = [part, ...parts].find((one) => one !== undefined && one.start < at && at < one.end)
      if (under !== undefined) run({ type: 'split-part', id: under.id, newId: newId(), at })
    },
    /** Moves the selected part as a whole; moves that follow each other are undone at once. */
    moveSelected: (by: 1 | -1) => {
      if (part === undefined) return
      const { snap: unit } = session.content.grid
      const isFree = beats === undefined || unit === 'off'
      const to = isFree
        ? part.start + by * freeStep
        : stepBeats(part.start, beats, by * (unit === 'bar' ? beats.perBar : 1))
      run({ type: 'move-part', id: part.id, to }, `move ${part.id}`)
      wave?.reveal(to)
    },
    removeSelected: () => {
      if (part === undefined) return
      run({ type: 'remove-part', id: part.id })
      const place = parts.indexOf(part)
      select((parts[place + 1] ?? parts[place - 1])?.id)
    },
    /** Makes a loop of so many bars from the first beat of this bar. */
    makeLoop: (bars: number) => {
      if (beats === undefined) return
      const { start, end, loop } = loopAt(time(), beats, bars)
      if (end <= duration) add(start, end, { loop })
      else notifyProblem(new Error(`The sound ends before ${bars} bars are over`))
    },
    addCue: () => run({ type: 'add-cue', id: newId(), at: snap(time()) }),
    cycleSnap: () => {
      const order = ['off', 'beat', 'bar'] as const
      const next = order[(order.indexOf(session.content.grid.snap) + 1) % order.length]
      run({ type: 'set-grid', values: { snap: next ?? 'off' } })
    },
  }
}

function createMoves({ session, deck, wave, beats, select }: WorkbenchContext, { part, time, seek }: Base) {
  const { parts, cues } = session.content
  return {
    selectNext: (by: number) => {
      const place = part === undefined ? (by > 0 ? -1 : parts.length) : parts.indexOf(part)
      const next = parts[Math.min(Math.max(0, place + by), parts.length - 1)]
      if (next === undefined) return
      select(next.id)
      wave?.reveal(next.start)
    },
    /** Goes to the cue point of a number, from 1. */
    jumpTo: (number: number) => {
      const cue = cues[number - 1]
      if (cue !== undefined) seek(cue.at)
    },
    stepBeat: (by: number) => seek(stepBeats(time(), beats, by)),
    skip: (by: number) => seek(time() + by),
    play: ({ start }: Pick<Part, 'start'>) => {
      wave?.reveal(start)
      deck?.play(start)
    },
  }
}
