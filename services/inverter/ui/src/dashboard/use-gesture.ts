import { type PointerEvent, useRef, type CSSProperties, type RefObject } from 'react'
import type { PlacedWidget, Slot, Step } from './grid-placement.ts'

/** Height of a row and the gap between two, as the style sheet has them, in pixels. */
const rowHeight = 44
const gap = 12

interface Gesture {
  x: number
  y: number
  /** The widget and the arrangement when the gesture began. */
  widget: PlacedWidget
  widgets: readonly PlacedWidget[]
}

/** Turns the drag of a handle into places on the grid. */
export function useGesture(edit: GridEdit, widget: PlacedWidget, kind: 'move' | 'resize') {
  const gesture = useRef<Gesture>(undefined)
  const end = () => {
    gesture.current = undefined
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      gesture.current = { x: event.pageX, y: event.pageY, widget, widgets: edit.widgets }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const begun = gesture.current
      const frame = edit.frame.current
      if (begun === undefined || frame === null) return
      const columns = hasColumns(frame) ? Math.round((event.pageX - begun.x) / ((frame.clientWidth + gap) / 12)) : 0
      const rows = Math.round((event.pageY - begun.y) / (rowHeight + gap))
      const { x, y, w, h } = begun.widget
      edit.slotTo(kind === 'move' ? { x: x + columns, y: y + rows } : { w: w + columns, h: h + rows }, begun.widgets)
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

/** On a phone everything stands in one column, so a finger that drifts sideways must not change the wide arrangement. */
function hasColumns(frame: HTMLElement): boolean {
  return getComputedStyle(frame).gridTemplateColumns.split(' ').length > 1
}

/** Actions of a widget on the grid while the layout is edited. */
export interface GridEdit {
  frame: RefObject<HTMLDivElement | null>
  widgets: readonly PlacedWidget[]
  /** `from` is the arrangement the gesture began with, so that a drag back leaves everything as it was. */
  slotTo(slot: Partial<Slot>, from: readonly PlacedWidget[]): void
  step(step: Step): void
  resize(by: Partial<Record<'w' | 'h', number>>): void
  hide(): void
}

/** The place of a widget for its style sheet; `rank` is its turn where there is one column only. */
export function slotStyle({ x, y, w, h }: Slot, rank: number): CSSProperties {
  return { '--x': x + 1, '--y': y + 1, '--w': w, '--h': h, '--rank': rank } as CSSProperties
}
