import { ActionIcon, Box, Title } from '@mantine/core'
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
import type { PlacedWidget, Slot, Step } from './grid-placement.ts'
import { isFigure, WidgetContent, type WidgetData } from './widget-content.tsx'
import { widgets as plans } from './widgets.ts'

/** Actions of a widget on the grid while the layout is edited. */
interface GridEdit {
  frame: RefObject<HTMLDivElement | null>
  widgets: readonly PlacedWidget[]
  /** `from` is the arrangement the gesture began with, so that a drag back leaves everything as it was. */
  slotTo(slot: Partial<Slot>, from: readonly PlacedWidget[]): void
  step(step: Step): void
  resize(by: Partial<Record<'w' | 'h', number>>): void
  hide(): void
}

const steps: Partial<Record<string, Step>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

/** One widget in its place; while the dashboard is arranged it has handles. */
export function GridItem(props: { widget: PlacedWidget; rank: number; data: WidgetData; edit: GridEdit | undefined }) {
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

const growth: Record<Step, Partial<Record<'w' | 'h', number>>> = {
  left: { w: -1 },
  right: { w: 1 },
  up: { h: -1 },
  down: { h: 1 },
}

function Handles({ title, widget, edit }: { title: string; widget: PlacedWidget; edit: GridEdit }) {
  const move = useGesture(edit, widget, 'move')
  const resize = useGesture(edit, widget, 'resize')
  const onKey = (act: (step: Step) => void) => (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    act(step)
  }
  return (
    <div className="widget-handles">
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Move ${title}: drag, or press arrow keys`}
        className="widget-move"
        onKeyDown={onKey((step) => edit.step(step))}
        {...move}
      >
        <IconArrowsMove size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size={36} aria-label={`Hide ${title}`} onClick={() => edit.hide()}>
        <IconEyeOff size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Resize ${title}: drag, or press arrow keys`}
        className="widget-resize"
        onKeyDown={onKey((step) => edit.resize(growth[step]))}
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
