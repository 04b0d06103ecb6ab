import type { CSSProperties, RefObject } from 'react'
import type { Placed, Slot, Step } from './grid-placement.ts'

/** What a widget may do to the grid while it is being arranged. */
export interface GridEdit {
  frame: RefObject<HTMLDivElement | null>
  widgets: readonly Placed[]
  /** `from` is the arrangement the gesture began with, so that a drag back leaves everything as it was. */
  slotTo(slot: Partial<Slot>, from: readonly Placed[]): void
  step(step: Step): void
  resize(by: Partial<Record<'w' | 'h', number>>): void
  hide(): void
}

/** The place of a widget for its style sheet; `rank` is its turn where there is one column only. */
export function slotStyle({ x, y, w, h }: Slot, rank: number): CSSProperties {
  return { '--x': x + 1, '--y': y + 1, '--w': w, '--h': h, '--rank': rank } as CSSProperties
}
