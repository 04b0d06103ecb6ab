import { ActionIcon, Box, Title } from '@mantine/core'
import { IconArrowsMove, IconEyeOff, IconResize } from '@tabler/icons-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { SimulatedBadge } from '../devices/device-badges.tsx'
import type { PlacedWidget, Step } from './grid-placement.ts'
import { type GridEdit, slotStyle, useGesture } from './use-gesture.ts'
import { isFigure, WidgetContent, type WidgetData } from './widget-content.tsx'
import { widgets as plans } from './widgets.ts'

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
    const look = () => setOverflows(element.scrollHeight > element.clientHeight + 1)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  })
  return [ref, overflows]
}
