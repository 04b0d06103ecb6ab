import { type PointerEvent, useRef } from 'react'
import type { GridEdit } from './grid-edit.ts'
import type { Placed } from './grid-placement.ts'

/** Height of a row and the gap between two, as the style sheet has them, in pixels. */
const rowHeight = 44
const gap = 12

interface Gesture {
  x: number
  y: number
  /** The widget and the arrangement when the gesture began. */
  widget: Placed
  widgets: readonly Placed[]
}

/** Turns the drag of a handle into places on the grid. */
export function useGesture(edit: GridEdit, widget: Placed, kind: 'move' | 'resize') {
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
