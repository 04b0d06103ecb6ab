import { VisuallyHidden } from '@mantine/core'
import { useRef, useState } from 'react'
import { place, type PlacedWidget, show, stepTo } from './grid-placement.ts'
import { GridItem } from './grid-item.tsx'
import type { WidgetData } from './widget-content.tsx'
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
  const [said, setAnnouncement] = useState('')
  const visible = widgets.filter((widget) => widget.visible).sort((a, b) => a.y - b.y || a.x - b.x)
  // A node that moves in the document loses pointer and focus, so while arranging only the style sheet moves them.
  const shown = onChange === undefined ? visible : [...visible].sort((a, b) => a.id.localeCompare(b.id))
  const change = (next: PlacedWidget[], id: PlacedWidget['id']) => {
    onChange?.(next)
    const now = next.find((widget) => widget.id === id)
    if (now !== undefined) setAnnouncement(position(now))
  }
  const resize = (id: PlacedWidget['id'], by: Partial<Record<'w' | 'h', number>>) => {
    const before = widgets.find((widget) => widget.id === id)
    if (before === undefined) return
    const slot = { w: before.w + (by.w ?? 0), h: before.h + (by.h ?? 0) }
    change(place(widgets, id, { slot, minSize: plans[id].minSize }), id)
  }
  return (
    <div className="grid-frame">
      <div className="grid" ref={frame} data-editing={onChange !== undefined || undefined}>
        {shown.map((widget) => (
          <GridItem
            key={widget.id}
            widget={widget}
            rank={visible.indexOf(widget)}
            data={data}
            edit={
              onChange === undefined
                ? undefined
                : {
                    frame,
                    slotTo: (slot, from) =>
                      onChange(place(from, widget.id, { slot, minSize: plans[widget.id].minSize })),
                    step: (step) => change(stepTo(widgets, widget.id, step), widget.id),
                    resize: (by) => resize(widget.id, by),
                    hide: () => onChange(show(widgets, widget.id, false)),
                    widgets,
                  }
            }
          />
        ))}
      </div>
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
    </div>
  )
}

function position({ id, x, y, w, h }: PlacedWidget): string {
  return `${plans[id].title}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`
}
