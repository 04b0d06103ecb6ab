import { VisuallyHidden } from '@mantine/core'
import { useRef, useState } from 'react'
import type { PlacedWidget } from './grid-placement.ts'
import { GridItem } from './grid-item.tsx'
import type { WidgetData } from './widget-content.tsx'

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
