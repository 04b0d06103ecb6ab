import { bounded, fitted, revealed, scrolled, timeAt, xOf, zoomed, type Viewport } from './viewport.ts'
import { cueAt, edgeAt, partAt, selectedAt } from './wave-hits.ts'
import { drawPicture, scaleHeight, type Colours, type Picture } from './wave-picture.ts'

/** What is done with the pointer on the wave. */
export interface WaveEvents {
  seek(seconds: number): void
  select(id: string | undefined): void
  /** An end of a part was dragged: it lies between `anchor`, which stays, and `to` now. */
  placePart(id: string, ends: { anchor: number; to: number }, gesture: string): void
  /** A part was dragged as a whole, so that it begins at a time. */
  movePart(id: string, to: number, gesture: string): void
  moveCue(id: string, to: number, gesture: string): void
  /** Returns the id of the new part. */
  addPart(start: number, end: number, gesture: string): string
}

/** What a pressed pointer does. */
type Drag =
  | { readonly kind: 'edge'; readonly id: string; readonly anchor: number; readonly gesture: string }
  | { readonly kind: 'part'; readonly id: string; readonly held: number; readonly gesture: string }
  | { readonly kind: 'cue'; readonly id: string; readonly gesture: string }
  | { readonly kind: 'seek' }
  | { readonly kind: 'pan'; x: number }
  | Press

interface Press {
  readonly kind: 'press'
  readonly from: number
  readonly x: number
  readonly id: string | undefined
  readonly gesture: string
}

/** Pixels around a handle in which it can be taken, with a mouse and with a finger. */
const [nearMouse, nearFinger] = [6, 14]
/** Pixels that a pointer moves before it is a drag. */
const dragFrom = 4

/** A canvas with a sound on it: draws what is in view, at most once a frame, and turns pointers into changes. Close it when it goes off the screen. */
export class WaveCanvas {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D | null
  readonly #events: WaveEvents
  readonly #cleanup = new AbortController()
  readonly #observer: ResizeObserver
  readonly #viewers = new Set<() => void>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  #picture: Picture
  #colours: Colours
  #view: Viewport
  #height = 0
  #frame = 0
  #drag: Drag | undefined
  #gestures = 0

  constructor(canvas: HTMLCanvasElement, picture: Picture, options: { colours: Colours; events: WaveEvents }) {
    this.#canvas = canvas
    this.#context = canvas.getContext('2d')
    this.#picture = picture
    this.#colours = options.colours
    this.#events = options.events
    this.#view = fitted({ width: 1, duration: picture.peaks.duration })
    this.#observer = new ResizeObserver(() => this.#resize())
    this.#observer.observe(canvas)
    this.#resize()
    this.#listen()
  }

  /** What is in view; another object whenever it changes. */
  readonly view = (): Viewport => this.#view

  /** Calls the listener when something else comes into view. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#viewers.add(listener)
    return () => this.#viewers.delete(listener)
  }

  /** Shows something else of the same sound. */
  show(changes: Partial<Omit<Picture, 'peaks'>>): void {
    this.#picture = { ...this.#picture, ...changes }
    this.#request()
  }

  recolour(colours: Colours): void {
    this.#colours = colours
    this.#request()
  }

  /** Changes the scale around the playhead when it is in view, otherwise around the middle. */
  zoom(factor: number): void {
    const x = xOf(this.#view, this.#picture.playhead)
    this.#look(zoomed(this.#view, factor, x >= 0 && x <= this.#view.width ? x : this.#view.width / 2))
  }

  fit(): void {
    this.#look(fitted(this.#view))
  }

  /** Scrolls by a share of what is in view. */
  scrollPages(pages: number): void {
    this.#look(scrolled(this.#view, pages * this.#view.width))
  }

  /** Moves the middle of the view to a time. */
  centre(seconds: number): void {
    this.#look(bounded({ ...this.#view, start: seconds - this.#view.width / this.#view.scale / 2 }))
  }

  reveal(seconds: number): void {
    this.#look(revealed(this.#view, seconds))
  }

  /** Shows a stretch of the sound as large as it goes. */
  frameOn(start: number, end: number): void {
    const room = Math.max(0.05, (end - start) * 1.2)
    const scale = this.#view.width / room
    this.#look(bounded({ ...this.#view, scale, start: (start + end) / 2 - room / 2 }))
  }

  close(): void {
    this.#cleanup.abort()
    this.#viewers.clear()
    this.#observer.disconnect()
    cancelAnimationFrame(this.#frame)
  }

  #look(view: Viewport): void {
    if (view === this.#view) return
    this.#view = view
    this.#request()
    for (const viewer of this.#viewers) viewer()
  }

  #request(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#draw()
    })
  }

  #draw(): void {
    if (this.#context === null || this.#height === 0) return
    const density = this.#canvas.width / Math.max(1, this.#view.width)
    const frame = { view: this.#view, height: this.#height, density, colours: this.#colours }
    drawPicture(this.#context, this.#picture, frame)
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    if (width === 0) return
    const density = Math.min(2, window.devicePixelRatio)
    this.#canvas.width = Math.round(width * density)
    this.#canvas.height = Math.round(height * density)
    this.#height = height
    const wasWhole = this.#view.start === 0 && this.#view.scale <= fitted(this.#view).scale * 1.001
    this.#look(wasWhole ? fitted({ ...this.#view, width }) : bounded({ ...this.#view, width }))
    // At once: a canvas of another size is empty.
    this.#draw()
  }

  #listen(): void {
    const options = { signal: this.#cleanup.signal }
    this.#canvas.addEventListener('wheel', (event) => this.#wheel(event), { ...options, passive: false })
    this.#canvas.addEventListener('pointerdown', (event) => this.#press(event), options)
    this.#canvas.addEventListener('pointermove', (event) => this.#move(event), options)
    for (const type of ['pointerup', 'pointercancel'] as const)
      this.#canvas.addEventListener(type, (event) => this.#release(event), options)
  }

  #wheel(event: WheelEvent): void {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      this.#look(zoomed(this.#view, Math.exp(-event.deltaY * unit * 0.004), this.#at(event).x))
      return
    }
    const pixels = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * unit
    const next = scrolled(this.#view, pixels)
    // At its ends, and while everything is in view, the page scrolls.
    if (next.start === this.#view.start) return
    event.preventDefault()
    this.#look(next)
  }

  #at({ clientX, clientY }: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#canvas.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return
    const at = this.#at(event)
    this.#pointers.set(event.pointerId, at)
    this.#canvas.setPointerCapture(event.pointerId)
    if (this.#pointers.size > 1) {
      this.#drag = undefined
      return
    }
    this.#drag = this.#dragAt(at, event.pointerType === 'mouse')
    if (this.#drag.kind === 'seek') this.#events.seek(this.#timeAt(at.x))
  }

  #dragAt({ x, y }: { x: number; y: number }, isMouse: boolean): Drag {
    this.#gestures += 1
    const gesture = `drag ${this.#gestures}`
    if (y < scaleHeight) {
      const cue = cueAt(this.#picture, this.#view, x)
      return cue === undefined ? { kind: 'seek' } : { kind: 'cue', id: cue.id, gesture }
    }
    const edge = edgeAt(this.#picture, this.#view, { x, near: isMouse ? nearMouse : nearFinger })
    if (edge !== undefined) return { kind: 'edge', ...edge, gesture }
    const from = this.#timeAt(x)
    return { kind: 'press', from, x, id: partAt(this.#picture, from)?.id, gesture }
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event)
    const before = this.#pointers.get(event.pointerId)
    if (before === undefined) return this.#point(at)
    if (this.#pointers.size === 2) this.#pinch(event.pointerId, before, at)
    this.#pointers.set(event.pointerId, at)
    const drag = this.#drag
    if (drag === undefined) return
    const seconds = this.#timeAt(at.x)
    if (drag.kind === 'edge') this.#events.placePart(drag.id, { anchor: drag.anchor, to: seconds }, drag.gesture)
    else if (drag.kind === 'part') this.#events.movePart(drag.id, seconds - drag.held, drag.gesture)
    else if (drag.kind === 'cue') this.#events.moveCue(drag.id, seconds, drag.gesture)
    else if (drag.kind === 'seek') this.#events.seek(seconds)
    else if (drag.kind === 'pan') {
      this.#look(scrolled(this.#view, drag.x - at.x))
      drag.x = at.x
    } else if (Math.abs(at.x - drag.x) > dragFrom) this.#drag = this.#dragFrom(drag, event, seconds)
  }

  /** A finger moves what is in view; a mouse moves the selected part, or makes a part elsewhere and with Alt. */
  #dragFrom({ from, gesture }: Press, { pointerType, altKey }: PointerEvent, seconds: number): Drag {
    if (pointerType === 'touch') return { kind: 'pan', x: xOf(this.#view, seconds) }
    const part = altKey ? undefined : selectedAt(this.#picture, from)
    if (part !== undefined) return { kind: 'part', id: part.id, held: from - part.start, gesture }
    return { kind: 'edge', id: this.#events.addPart(from, seconds, gesture), anchor: from, gesture }
  }

  /** Two fingers: what is between them stays there, at the scale of their distance. */
  #pinch(id: number, before: { x: number }, now: { x: number }): void {
    const other = [...this.#pointers].find(([pointer]) => pointer !== id)?.[1]
    if (other === undefined) return
    const factor = Math.abs(now.x - other.x) / Math.max(8, Math.abs(before.x - other.x))
    const moved = scrolled(this.#view, (before.x - now.x) / 2)
    this.#look(zoomed(moved, Math.min(4, Math.max(0.25, factor)), (now.x + other.x) / 2))
  }

  #release(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return
    const drag = this.#drag
    this.#drag = undefined
    if (drag?.kind === 'cue') this.#events.seek(this.#picture.cues.find(({ id }) => id === drag.id)?.at ?? 0)
    if (drag?.kind === 'edge') this.#events.select(drag.id)
    if (drag?.kind !== 'press' || event.type === 'pointercancel') return
    this.#events.select(drag.id)
    this.#events.seek(drag.from)
  }

  /** Shows by the pointer what would happen. */
  #point({ x, y }: { x: number; y: number }): void {
    const isHandle = edgeAt(this.#picture, this.#view, { x, near: nearMouse }) !== undefined
    const isHeld = selectedAt(this.#picture, this.#timeAt(x)) !== undefined
    this.#canvas.style.cursor = y < scaleHeight ? 'pointer' : isHandle ? 'ew-resize' : isHeld ? 'grab' : 'text'
  }

  #timeAt(x: number): number {
    return Math.min(Math.max(0, timeAt(this.#view, x)), this.#view.duration)
  }
}
