import type { DashboardLayout } from '../api.ts'

/** One widget on the grid of twelve columns. */
export type PlacedWidget = DashboardLayout['widgets'][number]

/** Position and size of a widget. */
export type Slot = Pick<PlacedWidget, 'x' | 'y' | 'w' | 'h'>

/** The minimum size of a widget. */
export type MinSize = Pick<Slot, 'w' | 'h'>

const columns = 12
const maxHeight = 24

/**
 * Moves every visible widget up into free space, from top to bottom. Hidden ones keep their place until they are shown again.
 */
export function compact(widgets: readonly PlacedWidget[]): PlacedWidget[] {
  const order = widgets.filter((widget) => widget.visible).sort((a, b) => a.y - b.y || a.x - b.x)
  return [...stack(order), ...widgets.filter((widget) => !widget.visible)]
}

function stack(order: readonly PlacedWidget[]): PlacedWidget[] {
  const floor = Array.from({ length: columns }, () => 0)
  return order.map((widget) => {
    const y = Math.max(0, ...floor.slice(widget.x, widget.x + widget.w))
    floor.fill(y + widget.h, widget.x, widget.x + widget.w)
    return { ...widget, y }
  })
}

/** Moves or resizes one widget; the others make room. The result is always inside the grid. */
export function place(
  widgets: readonly PlacedWidget[],
  id: PlacedWidget['id'],
  wish: { slot: Partial<Slot>; minSize: MinSize },
) {
  const before = widgets.find((widget) => widget.id === id)
  if (before === undefined) return [...widgets]
  const moved = { ...before, ...inside({ ...before, ...wish.slot }, wish.minSize) }
  // A widget makes way once more than its half is covered; on the way down the lower edge decides, otherwise the upper.
  const edge = moved.y > before.y ? moved.y + moved.h : moved.y
  const key = (widget: PlacedWidget) => (widget.id === id ? edge : widget.y + widget.h / 2)
  const visible = widgets.filter((widget) => widget.visible).map((widget) => (widget.id === id ? moved : widget))
  const order = visible.sort((a, b) => key(a) - key(b) || a.x - b.x)
  return [...stack(order), ...widgets.filter((widget) => !widget.visible)]
}

function inside(slot: Slot, minSize: MinSize): Slot {
  const w = within(slot.w, minSize.w, columns)
  const h = within(slot.h, minSize.h, maxHeight)
  return { w, h, x: within(slot.x, 0, columns - w), y: Math.max(0, Math.round(slot.y)) }
}

const within = (value: number, min: number, max: number) => Math.min(max, Math.max(min, Math.round(value)))

/** The keys that move a widget. */
export type Step = 'left' | 'right' | 'up' | 'down'

/** Moves a widget by the smallest effective step in that direction; returns the same widgets when none is possible. */
export function stepTo(widgets: readonly PlacedWidget[], id: PlacedWidget['id'], step: Step): PlacedWidget[] {
  const before = widgets.find((widget) => widget.id === id)
  if (before === undefined) return [...widgets]
  const [dx, dy] = ({ left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] } as const)[step]
  for (let distance = 1; distance <= 4 * maxHeight; distance += 1) {
    const slot = { x: before.x + dx * distance, y: before.y + dy * distance }
    const next = place(widgets, id, { slot, minSize: { w: 1, h: 1 } })
    const after = next.find((widget) => widget.id === id)
    if (after !== undefined && (after.x - before.x) * dx + (after.y - before.y) * dy > 0) return next
  }
  return [...widgets]
}

/** Shows a hidden widget below everything else, or hides one. */
export function show(widgets: readonly PlacedWidget[], id: PlacedWidget['id'], visible: boolean): PlacedWidget[] {
  const bottom = Math.max(0, ...widgets.filter((widget) => widget.visible).map(({ y, h }) => y + h))
  return compact(widgets.map((widget) => (widget.id === id ? { ...widget, visible, y: bottom } : widget)))
}

/** A saved arrangement with widgets it does not know yet at its end, hidden; without one the page's own. */
export function arrange(saved: readonly PlacedWidget[] | undefined, own: readonly PlacedWidget[]): PlacedWidget[] {
  if (saved === undefined) return compact(own)
  const known = new Set(saved.map(({ id }) => id))
  const unknown = own.filter(({ id }) => !known.has(id))
  return compact([...saved, ...unknown.map((widget) => Object.assign({}, widget, { visible: false }))])
}
