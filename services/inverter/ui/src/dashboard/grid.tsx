import { ActionIcon, Box, Title, VisuallyHidden } from '@mantine/core'
import { IconArrowsMove, IconEyeOff, IconResize } from '@tabler/icons-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { SimulatedBadge } from '../devices/device-badges.tsx'
import { place, type PlacedWidget, show, type Slot, type Step, stepTo } from './grid-placement.ts'
import { isFigure, WidgetContent, type WidgetData } from './widget-content.tsx'
import { widgets as plans } from './widgets.ts'

interface GridProps {
  widgets: readonly PlacedWidget[]
  data: WidgetData
  /** Only while the dashboard is being arranged. */
  onChange: ((widgets: PlacedWidget[]) => void) | undefined
}

/** The twelve columns; single-file on a phone, in the order of the grid. */
export function Grid({ widgets, data, onChange }: GridProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [announcement, announce] = useState('')
  const visible = widgets.filter((widget) => widget.visible).sort((a, b) => a.y - b.y || a.x - b.x)
  // A node that moves in the document loses pointer and focus, so while arranging only the style sheet moves them.
  const shown = onChange === undefined ? visible : [...visible].sort((a, b) => a.id.localeCompare(b.id))
  const edit = onChange && { frame, widgets, onChange, announce }
  return (
    <div className="grid-frame">
      <div className="grid" ref={frame} data-editing={onChange !== undefined || undefined}>
        {shown.map((widget) => (
          <GridItem key={widget.id} widget={widget} rank={visible.indexOf(widget)} data={data} edit={edit} />
        ))}
      </div>
      <VisuallyHidden aria-live="polite">{announcement}</VisuallyHidden>
    </div>
  )
}

/** The grid while its layout is edited. */
interface GridEdit {
  frame: RefObject<HTMLDivElement | null>
  widgets: readonly PlacedWidget[]
  onChange: (widgets: PlacedWidget[]) => void
  /** Announces the new position of a widget to screen readers. */
  announce: (text: string) => void
}

/** The keys that move a widget, and by how much they resize it. */
const arrows: Partial<Record<string, { step: Step; w: number; h: number }>> = {
  ArrowLeft: { step: 'left', w: -1, h: 0 },
  ArrowRight: { step: 'right', w: 1, h: 0 },
  ArrowUp: { step: 'up', w: 0, h: -1 },
  ArrowDown: { step: 'down', w: 0, h: 1 },
}

/** One widget in its place; while the dashboard is arranged it has handles. */
function GridItem(props: { widget: PlacedWidget; rank: number; data: WidgetData; edit: GridEdit | undefined }) {
  const { widget, rank, data, edit } = props
  const { title } = plans[widget.id]
  const figure = isFigure(widget.id)
  const [body, overflows] = useOverflow()
  return (
    <section className="widget" aria-label={title} data-figure={figure || undefined} style={slotStyle(widget, rank)}>
      {edit !== undefined && <Handles title={title} widget={widget} edit={edit} />}
      {!figure && (
        <div className="widget-head">
          <Title order={2}>{title}</Title>
          {(widget.id === 'energy-flow' || widget.id === 'battery') && <SimulatedBadge device={data.device} />}
        </div>
      )}
      <Box
        className="widget-body"
        ref={body}
        inert={edit !== undefined}
        {...(overflows ? { tabIndex: 0, role: 'group', 'aria-label': `${title}, scrolls` } : {})}
      >
        <WidgetContent id={widget.id} data={data} />
      </Box>
    </section>
  )
}

function Handles({ title, widget, edit }: { title: string; widget: PlacedWidget; edit: GridEdit }) {
  const { id, w, h } = widget
  const move = useGesture(edit, widget, 'move')
  const resize = useGesture(edit, widget, 'resize')
  const onKey = (kind: 'move' | 'resize') => (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (arrow === undefined) return
    event.preventDefault()
    const grown = { slot: { w: w + arrow.w, h: h + arrow.h }, minSize: plans[id].minSize }
    const next = kind === 'move' ? stepTo(edit.widgets, id, arrow.step) : place(edit.widgets, id, grown)
    const now = next.find((other) => other.id === id) ?? widget
    edit.onChange(next)
    edit.announce(`${title}: column ${now.x + 1}, row ${now.y + 1}, ${now.w} wide, ${now.h} high`)
  }
  return (
    <div className="widget-handles">
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Move ${title}: drag, or press arrow keys`}
        className="widget-move"
        onKeyDown={onKey('move')}
        {...move}
      >
        <IconArrowsMove size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Hide ${title}`}
        onClick={() => edit.onChange(show(edit.widgets, id, false))}
      >
        <IconEyeOff size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Resize ${title}: drag, or press arrow keys`}
        className="widget-resize"
        onKeyDown={onKey('resize')}
        {...resize}
      >
        <IconResize size={18} aria-hidden />
      </ActionIcon>
    </div>
  )
}

/** Returns true if the content of an element overflows, so that a keyboard must be able to scroll it. */
function useOverflow(): [RefObject<HTMLDivElement | null>, boolean] {
  const ref = useRef<HTMLDivElement>(null)
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => setOverflows(element.scrollHeight > element.clientHeight + 1)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  })
  return [ref, overflows]
}

/** Position of a widget for its style sheet; `rank` is its order where there is one column only. */
function slotStyle({ x, y, w, h }: Slot, rank: number): CSSProperties {
  return { '--x': x + 1, '--y': y + 1, '--w': w, '--h': h, '--rank': rank } as CSSProperties
}

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

/** Turns the drag of a handle into positions on the grid. */
function useGesture(edit: GridEdit, widget: PlacedWidget, kind: 'move' | 'resize') {
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
      const slot = kind === 'move' ? { x: x + columns, y: y + rows } : { w: w + columns, h: h + rows }
      // From the arrangement the gesture began with, so that a drag back leaves everything as it was.
      edit.onChange(place(begun.widgets, widget.id, { slot, minSize: plans[widget.id].minSize }))
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

/** A phone shows one column, so a finger that drifts sideways must not change the wide layout. */
function hasColumns(frame: HTMLElement): boolean {
  return getComputedStyle(frame).gridTemplateColumns.split(' ').length > 1
}
