/** A sound that can be heard: the original, or one of its stems. */
export type Sound = 'original' | 'vocals' | 'instrumental'

/** Seconds by which a sound that is not heard may be off before it is set right. */
const maxDrift = 0.06

/** Plays a sound and its stems at the same time and lets one of them be heard, so that changing over loses no beat. Close it when it is not needed any more. */
export class SoundDeck {
  readonly #sounds = new Map<Sound, HTMLAudioElement>()
  readonly #listeners = new Set<() => void>()
  #heard: Sound = 'original'
  #loop: { readonly start: number; readonly end: number } | undefined
  #problem: string | undefined
  #rate = 1

  constructor(original: string) {
    this.add('original', original)
  }

  /** Adds a sound, to be heard when it is chosen. */
  add(name: Sound, source: string): void {
    if (this.#sounds.has(name)) return
    const audio = new Audio()
    audio.preload = 'metadata'
    audio.muted = name !== this.#heard
    audio.playbackRate = this.#rate
    audio.src = source
    this.#sounds.set(name, audio)
    for (const event of ['play', 'pause', 'loadedmetadata', 'seeked', 'timeupdate', 'ended'])
      audio.addEventListener(event, () => this.#notify())
    audio.addEventListener('error', () => {
      if (this.#heard === name) this.#problem = 'The audio cannot be played here. It can still be cut and exported.'
      this.#notify()
    })
    if (this.isPlaying()) void this.#join(audio)
  }

  get heard(): Sound {
    return this.#heard
  }

  get sounds(): Sound[] {
    return [...this.#sounds.keys()]
  }

  get problem(): string | undefined {
    return this.#problem
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Seconds from the beginning. */
  time(): number {
    return this.#audio.currentTime
  }

  isPlaying(): boolean {
    return !this.#audio.paused
  }

  toggle(): void {
    if (this.isPlaying()) for (const audio of this.#sounds.values()) audio.pause()
    else this.play()
  }

  /** Plays on, from a time if one is given. */
  play(from?: number): void {
    if (from !== undefined) this.seek(from)
    for (const audio of this.#sounds.values()) void this.#join(audio)
  }

  seek(seconds: number): void {
    const { duration } = this.#audio
    const time = Math.max(0, Number.isFinite(duration) ? Math.min(seconds, duration) : seconds)
    for (const audio of this.#sounds.values()) audio.currentTime = time
    this.#notify()
  }

  /** Lets another sound be heard, at the same place. */
  hear(name: Sound): void {
    const next = this.#sounds.get(name)
    if (next === undefined || name === this.#heard) return
    const [before, wasPlaying] = [this.#audio, this.isPlaying()]
    if (Math.abs(next.currentTime - before.currentTime) > maxDrift) next.currentTime = before.currentTime
    next.muted = false
    before.muted = true
    this.#heard = name
    if (wasPlaying) void this.#join(next)
    this.#notify()
  }

  /** Plays faster or slower at the same pitch. */
  setRate(rate: number): void {
    this.#rate = rate
    for (const audio of this.#sounds.values()) audio.playbackRate = rate
  }

  /** Repeats a stretch while it is playing in it; none plays on. */
  setLoop(loop: { start: number; end: number } | undefined): void {
    this.#loop = loop
  }

  /** Keeps a loop and what is not heard in time; called with each frame while it is playing. */
  tick(): void {
    const loop = this.#loop
    const time = this.time()
    if (loop !== undefined && time >= loop.end && time < loop.end + 0.5) this.seek(loop.start)
    else
      for (const audio of this.#sounds.values()) {
        const isOff = audio.muted && !audio.seeking && Math.abs(audio.currentTime - time) > maxDrift * 3
        if (isOff) audio.currentTime = time
      }
  }

  close(): void {
    this.#listeners.clear()
    for (const audio of this.#sounds.values()) {
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
    }
    this.#sounds.clear()
  }

  get #audio(): HTMLAudioElement {
    const audio = this.#sounds.get(this.#heard)
    if (audio === undefined) throw new Error('the deck is closed')
    return audio
  }

  async #join(audio: HTMLAudioElement): Promise<void> {
    await audio.play().catch(() => undefined)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
