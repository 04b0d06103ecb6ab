import { memo, useCallback, useSyncExternalStore, type PointerEvent } from 'react'
import { columnsOf, type Peaks } from './peaks.ts'
import type { Part } from './session.ts'
import type { WaveCanvas } from './wave-canvas.ts'
import { useWaveColours } from './wave-colours.ts'

/** The whole sound at a glance, with a window over what is in view; dragging moves it. For the pointer: keys zoom and scroll, too. */
export function Overview({ wave, peaks, parts }: { wave: WaveCanvas; peaks: Peaks; parts: readonly Part[] }) {
  const view = useSyncExternalStore(wave.subscribe, wave.view)
  const { wave: colour } = useWaveColours()
  const share = (seconds: number) => `${(seconds / peaks.duration) * 100}%`
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    wave.centre(((event.clientX - left) / width) * peaks.duration)
  }
  return (
    <div
      className="workbench-overview"
      aria-hidden
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && move(event)}
    >
      <Shape key={`${view.width} ${colour}`} peaks={peaks} colour={colour} />
      {parts.map(({ id, start, end }) => (
        <i key={id} style={{ insetInlineStart: share(start), width: share(end - start) }} />
      ))}
      <b style={{ insetInlineStart: share(view.start), width: share(view.width / view.scale) }} />
    </div>
  )
}

/** Drawn once; another width or colour is another one. Not again with every frame that is scrolled. */
const Shape = memo(({ peaks, colour }: { peaks: Peaks; colour: string }) => {
  const attach = useCallback((canvas: HTMLCanvasElement | null) => drawShape(canvas, peaks, colour), [peaks, colour])
  return <canvas ref={attach} />
})

/** Number of columns that are drawn at most; more are no better to see. */
const maxColumns = 1600

function drawShape(canvas: HTMLCanvasElement | null, peaks: Peaks, colour: string): void {
  const context = canvas?.getContext('2d')
  if (canvas === null || context === null || context === undefined) return
  const columns = Math.min(maxColumns, Math.max(1, canvas.clientWidth))
  const height = Math.max(1, canvas.clientHeight)
  canvas.width = columns
  canvas.height = height
  context.fillStyle = colour
  const { pairs } = columnsOf(peaks, { start: 0, secondsPerColumn: peaks.duration / columns, columns })
  for (let column = 0; column < columns; column += 1) {
    const [low, high] = [pairs[2 * column] ?? 0, pairs[2 * column + 1] ?? 0]
    const size = Math.max(1, ((high - low) / 254) * height)
    context.fillRect(column, height / 2 - (high / 254) * height, 1, size)
  }
}
