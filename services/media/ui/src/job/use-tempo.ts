import { useLocalStorage } from '@mantine/hooks'
import type { Job } from '../api.ts'

/** The tempo that is worked with: the one that was found, or one a person set for this sound in this browser. */
export interface Tempo {
  bpm: number | undefined
  isOwn: boolean
  set: (bpm: number) => void
  /** Back to what was found. */
  reset: () => void
}

/** Tempi a person may mean, beats a minute. */
const [slowest, fastest] = [20, 400]

/** The tempo of a job's sound. */
export function useTempo({ id, bpm }: Pick<Job, 'id' | 'bpm'>): Tempo {
  const [own, setOwn, removeOwn] = useLocalStorage<number | undefined>({
    key: `hearth-media-tempo-${id}`,
    getInitialValueInEffect: false,
    deserialize: (text) => readTempo(text),
  })
  return {
    bpm: own ?? bpm ?? undefined,
    isOwn: own !== undefined,
    set: (next) =>
      next === bpm ? removeOwn() : setOwn(Math.min(Math.max(slowest, Math.round(next * 10) / 10), fastest)),
    reset: removeOwn,
  }
}

/** Whatever stands in the browser's storage: a tempo, or nothing. */
export function readTempo(text: string | undefined): number | undefined {
  const value = Number(text ?? '')
  return text !== undefined && text !== '' && value >= slowest && value <= fastest ? value : undefined
}
