import { useComputedColorScheme } from '@mantine/core'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Wave, type WaveOptions } from './wave.ts'

const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

/** A wave in the element that gets `attach` as its `ref`; it lives as long as the element. */
export function useWave(options: Pick<WaveOptions, 'source' | 'shape' | 'onPart' | 'onProblem'>) {
  const { source, shape } = options
  const [wave, setWave] = useState<Wave>()
  const latest = useRef(options)
  const scheme = useComputedColorScheme()
  const presentScheme = useRef(scheme)
  useEffect(() => {
    latest.current = options
    presentScheme.current = scheme
  })
  const attach = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const made = new Wave(element, {
        source,
        shape,
        nonce: nonce(),
        scheme: presentScheme.current,
        onPart: (part) => latest.current.onPart(part),
        onProblem: (message) => latest.current.onProblem(message),
      })
      setWave(made)
      return () => {
        made.close()
        setWave(undefined)
      }
    },
    [source, shape],
  )
  useEffect(() => wave?.recolour(scheme), [wave, scheme])
  return { wave, attach }
}

const never = () => () => undefined

/** Reads a value of a wave, and again whenever the wave notifies. */
const useWaveValue = <Value>(wave: Wave | undefined, read: () => Value): Value =>
  useSyncExternalStore(wave === undefined ? never : (listener) => wave.subscribe(listener), read)

/** Position of a wave, in tenths of a second. */
export const useWaveTime = (wave: Wave | undefined): number =>
  useWaveValue(wave, () => (wave === undefined ? 0 : Math.floor(wave.time() * 10) / 10))

/** State of a wave: playing, and ready to play. */
export const useWaveState = (wave: Wave | undefined) =>
  useWaveValue(wave, () => {
    if (wave === undefined || !wave.isReady()) return 'loading'
    return wave.isPlaying() ? 'playing' : 'paused'
  })
