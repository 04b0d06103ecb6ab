import { useCallback, useEffect, useRef, useState } from 'react'
import { WaveCanvas, type WaveEvents } from './wave-canvas.ts'
import { useWaveColours } from './wave-colours.ts'
import type { Picture } from './wave-picture.ts'

/** A wave in the canvas that gets `attach` as its `ref`; it lives as long as the canvas. */
export function useWaveCanvas(picture: Picture, events: WaveEvents) {
  const { peaks } = picture
  const colours = useWaveColours()
  const [wave, setWave] = useState<WaveCanvas>()
  const latest = useRef({ picture, events, colours })
  useEffect(() => {
    latest.current = { picture, events, colours }
  })
  const attach = useCallback(
    (canvas: HTMLCanvasElement | null) => {
      if (canvas === null) return undefined
      const current = () => latest.current.events
      const made = new WaveCanvas(
        canvas,
        { ...latest.current.picture, peaks },
        {
          colours: latest.current.colours,
          events: {
            seek: (seconds) => current().seek(seconds),
            select: (id) => current().select(id),
            placePart: (...change) => current().placePart(...change),
            movePart: (...change) => current().movePart(...change),
            moveCue: (...change) => current().moveCue(...change),
            addPart: (...part) => current().addPart(...part),
          },
        },
      )
      setWave(made)
      return () => {
        made.close()
        setWave(undefined)
      }
    },
    [peaks],
  )
  const { parts, cues, beats, selected } = picture
  useEffect(() => wave?.show({ parts, cues, beats, selected }), [wave, parts, cues, beats, selected])
  useEffect(() => wave?.recolour(colours), [wave, colours])
  return { wave, attach }
}
