import type { Cue, Part } from './session.ts'
import { xOf, type Viewport } from './viewport.ts'

interface Shown {
  readonly parts: readonly Part[]
  readonly cues: readonly Cue[]
  readonly selected: string | undefined
}

/** The selected part goes before those that lie below it. */
const inOrder = ({ parts, selected }: Shown): Part[] =>
  parts.toSorted((a, b) => Number(b.id === selected) - Number(a.id === selected))

/** Half the width of the flag of a cue point, pixels. */
const flag = 9

/** The cue point whose flag lies at a place of the scale of time. */
export const cueAt = ({ cues }: Pick<Shown, 'cues'>, view: Viewport, x: number): Cue | undefined =>
  cues.findLast(({ at }) => Math.abs(xOf(view, at) - x) <= flag)

/** The part of which an end lies near a place, and its other end, which stays when this one is dragged. */
export function edgeAt(
  shown: Shown,
  view: Viewport,
  { x, near }: { x: number; near: number },
): { id: string; anchor: number } | undefined {
  const away = (seconds: number) => Math.abs(xOf(view, seconds) - x)
  const part = inOrder(shown).find(({ start, end }) => away(start) <= near || away(end) <= near)
  if (part === undefined) return undefined
  return { id: part.id, anchor: away(part.end) < away(part.start) ? part.start : part.end }
}

/** The part at a time. */
export const partAt = (shown: Shown, seconds: number): Part | undefined =>
  inOrder(shown).find(({ start, end }) => start <= seconds && seconds < end)

/** The selected part, at a time that lies in it. */
export const selectedAt = (shown: Shown, seconds: number): Part | undefined =>
  shown.parts.find(({ id, start, end }) => id === shown.selected && start <= seconds && seconds < end)
