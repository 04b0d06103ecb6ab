import { useEffect, useRef, useState } from 'react'
import { backOff } from './back-off.ts'

/** How the page is connected: `live` means that events arrive; the others are told to the person as words. */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting'

/** What a page does with its stream. */
export interface EventStreamOptions<Event> {
  url: string
  onEvent(event: Event): void
  /** After the third failure in a row, and every third one after it: a moment to ask whether the session still stands. */
  onTrouble?(): void
}

/** Keeps one EventSource open while the component lives; opens it again with growing pauses when it breaks. */
export function useEventStream<Event>(options: EventStreamOptions<Event>): ConnectionState {
  const [state, setState] = useState<ConnectionState>('connecting')
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  useEffect(
    () =>
      keepOpen(options.url, {
        onState: setState,
        onMessage: (text) => latest.current.onEvent(JSON.parse(text) as Event),
        onTrouble: () => latest.current.onTrouble?.(),
      }),
    [options.url],
  )
  return state
}

interface StreamListener {
  onState(state: ConnectionState): void
  onMessage(text: string): void
  onTrouble(): void
}

function keepOpen(url: string, listener: StreamListener): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const open = () => {
    clearTimeout(timer)
    source?.close()
    source = new EventSource(url)
    source.onmessage = (message: MessageEvent<string>) => {
      failures = 0
      listener.onState('live')
      listener.onMessage(message.data)
    }
    source.onerror = () => {
      source?.close()
      failures += 1
      listener.onState('reconnecting')
      if (failures % 3 === 0) listener.onTrouble()
      timer = setTimeout(open, backOff(failures))
    }
  }
  open()
  window.addEventListener('online', open)
  return () => {
    window.removeEventListener('online', open)
    clearTimeout(timer)
    source?.close()
  }
}
