import { createContext, use, useEffect, useRef, useState } from 'react'

/** State of the page's connection: `live` means that events arrive; the others are shown to the user. */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting'

/** State of the connection to the event stream; the application provides it. */
export const ConnectionContext = createContext<ConnectionState>('connecting')

/** The present connection, for pages that say which of their values may be out of date. */
export function useConnection(): ConnectionState {
  return use(ConnectionContext)
}

/** Handlers of a page for its stream. */
export interface EventStreamOptions<Event> {
  url: string
  /**
   * The server numbers its events and tells one who comes back what was missed; it need not greet. The browser then connects
   * again by itself, and `onGap` is called when nobody can know what was missed.
   */
  resumes?: boolean
  onEvent(event: Event): void
  onGap?(): void
  /** After the third failure in a row, and every third one after it: a moment to ask whether the session still stands. */
  onTrouble?(): void
}

/** Keeps one EventSource open while the component lives; opens it again with growing pauses when it breaks. */
export function useEventStream<Event>(options: EventStreamOptions<Event>): ConnectionState {
  const [state, setState] = useState<ConnectionState>('connecting')
  const latest = useRef(options)
  const { url, resumes = false } = options
  useEffect(() => {
    latest.current = options
  })
  useEffect(
    () =>
      keepOpen(
        { url, resumes },
        {
          onState: setState,
          onMessage: (text) => latest.current.onEvent(JSON.parse(text) as Event),
          onTrouble: () => latest.current.onTrouble?.(),
          onGap: () => latest.current.onGap?.(),
        },
      ),
    [url, resumes],
  )
  return state
}

interface StreamListener {
  onState(state: ConnectionState): void
  onMessage(text: string): void
  onTrouble(): void
  onGap(): void
}

type Where = Pick<EventStreamOptions<unknown>, 'url' | 'resumes'>

/** Ends when what it returns is called. */
function keepOpen(where: Where, listener: StreamListener): () => void {
  const stream = new KeptStream(where, listener)
  const openAgain = () => stream.openUnlessOpen()
  stream.open()
  window.addEventListener('online', openAgain)
  return () => {
    window.removeEventListener('online', openAgain)
    stream.close()
  }
}

class KeptStream {
  readonly #url: string
  readonly #resumes: boolean
  readonly #listener: StreamListener
  #source: EventSource | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #wasOpen = false
  /** Last event that the browser will name when it connects again. */
  #lastId = ''

  constructor({ url, resumes = false }: Where, listener: StreamListener) {
    this.#url = url
    this.#resumes = resumes
    this.#listener = listener
  }

  open(): void {
    this.close()
    this.#lastId = ''
    const source = new EventSource(this.#url)
    this.#source = source
    if (this.#resumes) source.onopen = () => this.#noteOpen()
    source.onmessage = (message: MessageEvent<string>) => {
      this.#failures = 0
      this.#lastId = message.lastEventId
      this.#listener.onState('live')
      this.#listener.onMessage(message.data)
    }
    source.onerror = () => this.#noteBreak(source)
  }

  openUnlessOpen(): void {
    if (!this.#resumes || this.#source?.readyState !== EventSource.OPEN) this.open()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#source?.close()
  }

  #noteOpen(): void {
    this.#failures = 0
    this.#listener.onState('live')
    if (this.#wasOpen && this.#lastId === '') this.#listener.onGap()
    this.#wasOpen = true
  }

  #noteBreak(source: EventSource): void {
    this.#failures += 1
    this.#listener.onState('reconnecting')
    if (this.#failures % 3 === 0) this.#listener.onTrouble()
    if (this.#resumes && source.readyState === EventSource.CONNECTING) return
    source.close()
    this.#timer = setTimeout(() => this.open(), backOff(this.#failures))
  }
}

/** Milliseconds to wait before the next attempt: 1, 2, 4 … seconds, at most 30, spread by up to a fifth either way. */
export function backOff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(30_000, 1000 * 2 ** Math.max(0, attempt - 1))
  return Math.round(base * (0.8 + 0.4 * random()))
}
