import WaveSurfer from 'wavesurfer.js'
import Hover from 'wavesurfer.js/plugins/hover'
import Regions, { type Region } from 'wavesurfer.js/plugins/regions'
import type { BeatGrid as Beats, Waveform } from '../api.ts'
import { clock } from '../jobs/job-labels.ts'
import type { BeatGrid } from './beat-grid.ts'
import { BeatLines } from './beat-lines.ts'
import { maxLength, minLength, type Part } from './part.ts'

/** Options and callbacks of a wave. */
export interface WaveOptions {
  /** URL of the sound; it is fetched in ranges, as it plays. */
  source: string
  shape: Waveform
  /** The nonce of this page, for the style element of the drawing. */
  nonce: string
  scheme: Scheme
  /** A part was dragged, or dropped after dragging. */
  onPart: (part: Part) => void
  onProblem: (message: string) => void
}

export type Scheme = 'light' | 'dark'

/** Canvases want colours, not names of variables. */
const colours = {
  light: { waveColor: '#b5afc2', progressColor: '#7a4fb0', cursorColor: '#221f1b' },
  dark: { waveColor: '#5f5a6b', progressColor: '#b48ff0', cursorColor: '#ebe8e3' },
} as const

const partColour = 'color-mix(in srgb, var(--hearth-accent-text) 20%, transparent)'

/** A sound drawn into an element from its known shape, without fetching all of it, that can be played. Close it when it goes off the screen. */
export class Wave {
  readonly #audio = document.createElement('audio')
  readonly #regions = Regions.create()
  readonly #surfer: WaveSurfer
  readonly #lines = document.createElement('div')
  readonly #listeners = new Set<() => void>()
  readonly #duration: number
  /** A region is being added by us: nobody has dragged it. */
  #isShowing = false
  #region: Region | undefined
  #isLooping = false
  #grid: BeatGrid | undefined
  #beats: BeatLines | undefined

  constructor(container: HTMLElement, { source, shape, nonce, scheme, onPart, onProblem }: WaveOptions) {
    this.#duration = shape.duration_seconds
    this.#audio.preload = 'metadata'
    this.#surfer = WaveSurfer.create({
      container,
      media: this.#audio,
      url: source,
      peaks: [shape.peaks.length === 0 ? [0, 0] : shape.peaks],
      duration: shape.duration_seconds,
      height: 128,
      normalize: true,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      barMinHeight: 1,
      cursorWidth: 2,
      cspNonce: nonce,
      plugins: [this.#regions, Hover.create(hoverOptions)],
      ...colours[scheme],
    })
    this.#surfer.getWrapper().prepend(this.#lines)
    this.#lines.setAttribute('style', 'position:absolute;inset:0;pointer-events:none')
    this.#regions.enableDragSelection({ color: partColour, minLength, maxLength })
    this.#listen(onPart, onProblem)
  }

  /** Calls the listener when the place, the state of playing or the readiness changes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Seconds from the beginning. */
  time(): number {
    return this.#surfer.getCurrentTime()
  }

  isPlaying(): boolean {
    return this.#surfer.isPlaying()
  }

  /** Returns true once enough was fetched to begin at once. */
  isReady(): boolean {
    return this.#audio.readyState >= HTMLMediaElement.HAVE_METADATA
  }

  playPause(): void {
    const [part, time] = [this.#region, this.time()]
    const isOutside = part !== undefined && (time < part.start || time >= part.end)
    if (this.#isLooping && part !== undefined && isOutside && !this.isPlaying()) this.playFrom(part.start)
    else this.#surfer.playPause().catch(() => undefined)
  }

  /** Plays from a place on. */
  playFrom(seconds: number): void {
    this.#surfer.play(seconds).catch(() => undefined)
  }

  seek(seconds: number): void {
    this.#surfer.setTime(Math.min(Math.max(0, seconds), this.#duration))
    this.#notify()
  }

  /** Shows a part, or none. */
  showPart(part: Part | undefined): void {
    if (part === undefined) {
      this.#region?.remove()
      this.#region = undefined
    } else if (this.#region === undefined) this.#region = this.#addRegion(part)
    else this.#region.setOptions(part)
  }

  /** While on, the part that is shown is played again and again, and playing begins in it. */
  loop(isOn: boolean): void {
    this.#isLooping = isOn
  }

  /** Pixels a second; 0 fits the whole sound in. */
  zoom(pixels: number): void {
    this.#surfer.zoom(pixels)
    // What scrolls has to be reachable with the keyboard.
    const view = this.#surfer.getWrapper().parentElement
    view?.setAttribute('role', 'group')
    view?.setAttribute('aria-label', 'Wave')
    view?.setAttribute('tabindex', pixels > 0 ? '0' : '-1')
  }

  /** Draws the same sound from a finer shape. */
  refine(shape: Waveform): void {
    this.#surfer.setOptions({ peaks: [shape.peaks], duration: this.#duration })
  }

  /** Lines at the beats, and stronger ones at every fourth; none without a grid. */
  showGrid(grid: BeatGrid | undefined): void {
    this.#grid = grid
    this.#drawGrid()
  }

  /** Lines where the beats are, and stronger ones where bars begin; none without beats. */
  showBeats(beats: Beats | undefined): void {
    this.#beats = beats === undefined ? undefined : new BeatLines(beats, this.#duration)
    this.#lines.replaceChildren(...(this.#beats === undefined ? [] : [this.#beats.drawing]))
    this.#drawGrid()
  }

  recolour(scheme: Scheme): void {
    if (this.#surfer.options.waveColor !== colours[scheme].waveColor) this.#surfer.setOptions(colours[scheme])
  }

  close(): void {
    this.#listeners.clear()
    this.#surfer.destroy()
    this.#audio.removeAttribute('src')
  }

  #listen(onPart: (part: Part) => void, onProblem: (message: string) => void): void {
    const notify = () => this.#notify()
    this.#surfer.on('timeupdate', (time) => {
      const part = this.#region
      if (this.#isLooping && part !== undefined && time >= part.end && time < part.end + 0.5) this.seek(part.start)
      notify()
    })
    for (const event of ['play', 'pause', 'finish'] as const) this.#surfer.on(event, notify)
    this.#surfer.on('redraw', () => this.#drawGrid())
    this.#surfer.on('error', (error) => onProblem(error.message))
    this.#audio.addEventListener('loadedmetadata', notify)
    this.#regions.on('region-created', (region) => {
      if (this.#isShowing || region === this.#region) return
      this.#region?.remove()
      this.#region = region
      onPart({ start: region.start, end: region.end })
    })
    this.#regions.on('region-updated', ({ start, end }) => onPart({ start, end }))
  }

  #addRegion(part: Part): Region {
    // A copy: the list grows by the region that is added.
    const present = [...this.#regions.getRegions()]
    this.#isShowing = true
    const region = this.#regions.addRegion({ ...part, color: partColour, minLength, maxLength })
    this.#isShowing = false
    for (const other of present) other.remove()
    return region
  }

  #drawGrid(): void {
    const wrapper = this.#surfer.getWrapper()
    const pixels = wrapper.clientWidth / this.#duration
    const beat = this.#grid === undefined ? 0 : (60 / this.#grid.bpm) * pixels
    this.#beats?.fit(this.#grid === undefined ? pixels : 0)
    // Lines closer than this would be a grey wash.
    if (this.#grid === undefined || beat * 4 < 14) {
      this.#lines.style.backgroundImage = 'none'
      return
    }
    const line = (strength: number) =>
      `linear-gradient(90deg, color-mix(in srgb, var(--mantine-color-text) ${strength}%, transparent) 1px, transparent 1px)`
    const first = this.#grid.first * pixels
    const isFine = beat >= 7
    this.#lines.style.backgroundImage = isFine ? `${line(42)}, ${line(18)}` : line(30)
    this.#lines.style.backgroundSize = `${beat * 4}px 100%, ${beat}px 100%`
    this.#lines.style.backgroundPosition = `${first}px 0, ${first}px 0`
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

const hoverOptions = {
  lineColor: 'var(--hearth-quiet)',
  labelColor: 'var(--mantine-color-text)',
  labelBackground: 'var(--hearth-surface)',
  labelSize: 12,
  formatTimeCallback: (seconds: number) => clock(seconds, 1),
}
