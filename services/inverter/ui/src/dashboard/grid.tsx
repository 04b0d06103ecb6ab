import { VisuallyHidden } from '@mantine/core'
import { useRef, useState } from 'react'
import { place, type Placed, show, stepTo } from './grid-placement.ts'
import { GridItem } from './grid-item.tsx'
import type { WidgetData } from './widget-content.tsx'
import { widgets as plans } from './widgets.ts'

interface GridProps {
  widgets: readonly Placed[]
  data: WidgetData
  /** Only while the dashboard is being arranged. */
  onChange: ((widgets: Placed[]) => void) | undefined
}

/** The twelve columns; single-file on a phone, in the order of the grid. */
export function Grid({ widgets, data, onChange }: GridProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  const visible = widgets.filter((widget) => widget.visible).sort((a, b) => a.y - b.y || a.x - b.x)
  // A node that moves in the document loses pointer and focus, so while arranging only the style sheet moves them.
  const shown = onChange === undefined ? visible : [...visible].sort((a, b) => a.id.localeCompare(b.id))
  const change = (next: Placed[], id: Placed['id']) => {
    onChange?.(next)
    const now = next.find((widget) => widget.id === id)
    if (now !== undefined) setSaid(position(now))
  }
  const resize = (id: Placed['id'], by: Partial<Record<'w' | 'h', number>>) => {
    const before = widgets.find((widget) => widget.id === id)
    if (before === undefined) return
    const slot = { w: before.w + (by.w ?? 0), h: before.h + (by.h ?? 0) }
    change(place(widgets, id, { slot, smallest: plans[id].smallest }), id)
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
                      onChange(place(from, widget.id, { slot, smallest: plans[widget.id].smallest })),
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

function position({ id, x, y, w, h }: Placed): string {
  return `${plans[id].title}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`
}
