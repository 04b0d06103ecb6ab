import { clock } from '../jobs/job-labels.ts'
import { firstFrom, isDownbeat, type Beats } from './beats.ts'
import { columnsOf, type Peaks } from './peaks.ts'
import type { Cue, Part } from './session.ts'
import { markStep, timeAt, xOf, type Viewport } from './viewport.ts'

/** Everything that is drawn. */
export interface Picture {
  readonly peaks: Peaks
  readonly parts: readonly Part[]
  readonly cues: readonly Cue[]
  readonly beats: Beats | undefined
  readonly selected: string | undefined
  /** Seconds. */
  readonly playhead: number
}

/** Colours of the drawing. Canvases want colours, not names of variables. */
export interface Colours {
  readonly wave: string
  readonly line: string
  readonly text: string
  readonly accent: string
  readonly cue: string
}

/** Height of the scale of time above the wave, pixels. */
export const scaleHeight = 22

/** Draws what of a sound is on the screen. Returns how much it looked at: it is bounded by the width, not by the length of the sound. */
export function drawPicture(
  context: CanvasRenderingContext2D,
  picture: Picture,
  frame: { readonly view: Viewport; readonly height: number; readonly density: number; readonly colours: Colours },
): number {
  const { view, height, density } = frame
  context.setTransform(density, 0, 0, density, 0, 0)
  context.clearRect(0, 0, view.width, height)
  const marks = drawMarks(context, frame)
  const lines = drawBeats(context, picture.beats, frame)
  drawParts(context, picture, frame)
  const visited = drawWave(context, picture.peaks, frame)
  drawCues(context, picture.cues, frame)
  const x = xOf(view, picture.playhead)
  if (x >= 0 && x <= view.width) {
    context.fillStyle = frame.colours.text
    context.fillRect(Math.round(x) - 1, 0, 2, height)
  }
  return marks + lines + visited
}

type Frame = Parameters<typeof drawPicture>[2]

function drawWave(context: CanvasRenderingContext2D, peaks: Peaks, { view, height, density, colours }: Frame): number {
  const columns = Math.ceil(view.width * density)
  const secondsPerColumn = 1 / (view.scale * density)
  const { pairs, visited } = columnsOf(peaks, { start: view.start, secondsPerColumn, columns })
  const [middle, reach] = [scaleHeight + (height - scaleHeight) / 2, (height - scaleHeight) / 2 - 4]
  const yOf = (value: number) => middle - (value / 127) * reach
  context.fillStyle = colours.wave
  context.beginPath()
  context.moveTo(0, middle)
  for (let column = 0; column < columns; column += 1)
    context.lineTo(column / density, yOf(pairs[2 * column + 1] ?? 0) - 0.5)
  for (let column = columns - 1; column >= 0; column -= 1)
    context.lineTo(column / density, yOf(pairs[2 * column] ?? 0) + 0.5)
  context.closePath()
  context.fill()
  return visited
}

function drawMarks(context: CanvasRenderingContext2D, { view, colours }: Frame): number {
  const step = markStep(view.scale, 72)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  let count = 0
  for (let place = Math.floor(view.start / step); place * step <= timeAt(view, view.width); place += 1) {
    const x = Math.round(xOf(view, place * step))
    context.fillStyle = colours.line
    context.fillRect(x, 0, 1, scaleHeight)
    context.fillStyle = colours.text
    context.fillText(clock(place * step, step < 0.1 ? 2 : step < 1 ? 1 : 0), x + 4, scaleHeight / 2)
    count += 1
  }
  return count
}

/** Closest that lines may be, pixels; closer ones would be a grey wash. */
const closest = 7

function drawBeats(context: CanvasRenderingContext2D, beats: Beats | undefined, frame: Frame): number {
  const { view, height, colours } = frame
  if (beats === undefined) return 0
  const beat = (60 / beats.bpm) * view.scale
  if (beat * beats.perBar < closest) return 0
  context.fillStyle = colours.line
  let count = 0
  const end = timeAt(view, view.width)
  for (let place = firstFrom(beats.times, view.start); (beats.times[place] ?? Infinity) <= end; place += 1) {
    count += 1
    const isFirst = isDownbeat(beats, place)
    if (!isFirst && beat < closest) continue
    context.globalAlpha = isFirst ? 1 : 0.45
    context.fillRect(Math.round(xOf(view, beats.times[place] ?? 0)), scaleHeight, 1, height - scaleHeight)
  }
  context.globalAlpha = 1
  return count
}

function drawParts(context: CanvasRenderingContext2D, { parts, selected }: Picture, frame: Frame): void {
  const { view, height, colours } = frame
  for (const part of parts) {
    const [left, right] = [xOf(view, part.start), xOf(view, part.end)]
    if (right < 0 || left > view.width) continue
    const isSelected = part.id === selected
    context.fillStyle = colours.accent
    context.globalAlpha = isSelected ? 0.3 : 0.16
    context.beginPath()
    // The corners show the fades.
    context.moveTo(left, height)
    context.lineTo(left + part.fade_in * view.scale, scaleHeight)
    context.lineTo(right - part.fade_out * view.scale, scaleHeight)
    context.lineTo(right, height)
    context.fill()
    context.globalAlpha = 1
    const width = isSelected ? 3 : 1
    context.fillRect(left, scaleHeight, width, height - scaleHeight)
    context.fillRect(right - width, scaleHeight, width, height - scaleHeight)
    if (right - left > 30)
      drawLabel(context, part.name, {
        x: Math.max(left, 0) + 6,
        room: right - Math.max(left, 0) - 10,
        y: height - 10,
        colours,
      })
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  text: string,
  { x, y, room, colours }: { x: number; y: number; room: number; colours: Colours },
): void {
  context.fillStyle = colours.text
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.save()
  context.beginPath()
  context.rect(x, y - 10, Math.max(0, room), 20)
  context.clip()
  context.fillText(text, x, y)
  context.restore()
}

function drawCues(context: CanvasRenderingContext2D, cues: readonly Cue[], { view, height, colours }: Frame): void {
  context.font = '600 11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'center'
  for (const [index, cue] of cues.entries()) {
    const x = Math.round(xOf(view, cue.at))
    if (x < -10 || x > view.width + 10) continue
    context.fillStyle = colours.cue
    context.fillRect(x - 1, 0, 2, height)
    context.fillRect(x - 9, 2, 18, 16)
    context.fillStyle = '#ffffff'
    context.fillText(String(index + 1), x, 10)
  }
  context.textAlign = 'start'
}
