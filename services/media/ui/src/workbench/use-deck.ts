import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { SoundDeck } from './sound-deck.ts'
import type { WaveCanvas } from './wave-canvas.ts'

/** URL of a sound of a job. */
const soundUrl = (jobId: string, sound: string): string => `/api/jobs/${jobId}/sounds/${sound}`

/** A deck with the sound of a job, and with its stems when there are some. It lives as long as the element that gets `attach` as its `ref`. */
export function useDeck(jobId: string, hasStems: boolean) {
  const [deck, setDeck] = useState<SoundDeck>()
  const attach = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const made = new SoundDeck(soundUrl(jobId, 'original'))
      setDeck(made)
      return () => {
        made.close()
        setDeck(undefined)
      }
    },
    [jobId],
  )
  useEffect(() => {
    if (!hasStems) return
    deck?.add('vocals', soundUrl(jobId, 'vocals'))
    deck?.add('instrumental', soundUrl(jobId, 'instrumental'))
  }, [deck, hasStems, jobId])
  return { deck, attach }
}

const never = () => () => undefined

/** Reads a value of a deck, and again whenever the deck notifies. */
export const useDeckValue = <Value>(
  deck: SoundDeck | undefined,
  read: (deck: SoundDeck) => Value,
  none: Value,
): Value =>
  useSyncExternalStore(deck === undefined ? never : (listener) => deck.subscribe(listener), () =>
    deck === undefined ? none : read(deck),
  )

/** Moves the playhead of a wave with a deck, frame by frame while it is playing, and keeps it in view. */
export function usePlayhead(deck: SoundDeck | undefined, wave: WaveCanvas | undefined): void {
  useEffect(() => {
    if (deck === undefined || wave === undefined) return undefined
    let frame = 0
    const follow = () => {
      frame = 0
      if (deck.isPlaying()) deck.tick()
      wave.show({ playhead: deck.time() })
      if (!deck.isPlaying()) return
      const { start, scale, width } = wave.view()
      // It leaves to the right, and what comes next is shown.
      if (deck.time() > start + width / scale) wave.reveal(deck.time())
      frame = requestAnimationFrame(follow)
    }
    const begin = () => {
      if (frame === 0) frame = requestAnimationFrame(follow)
    }
    const unsubscribe = deck.subscribe(begin)
    begin()
    return () => {
      unsubscribe()
      cancelAnimationFrame(frame)
    }
  }, [deck, wave])
}
