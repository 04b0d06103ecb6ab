import { useCallback, useEffect, useRef, useState } from 'react'
import { WaveBoard, type BoardEvents } from './wave-board.ts'
import { useWaveColours } from './wave-colours.ts'
import type { Picture } from './wave-picture.ts'

/** A board in the canvas that gets `attach` as its `ref`; it lives as long as the canvas. */
export function useBoard(picture: Picture, events: BoardEvents) {
  const { peaks } = picture
  const colours = useWaveColours()
  const [board, setBoard] = useState<WaveBoard>()
  const latest = useRef({ picture, events, colours })
  useEffect(() => {
    latest.current = { picture, events, colours }
  })
  const attach = useCallback(
    (canvas: HTMLCanvasElement | null) => {
      if (canvas === null) return undefined
      const current = () => latest.current.events
      const made = new WaveBoard(
        canvas,
        { ...latest.current.picture, peaks },
        {
          colours: latest.current.colours,
          events: {
            seek: (seconds) => current().seek(seconds),
            select: (id) => current().select(id),
            placePart: (...change) => current().placePart(...change),
            moveCue: (...change) => current().moveCue(...change),
            addPart: (...part) => current().addPart(...part),
          },
        },
      )
      setBoard(made)
      return () => {
        made.close()
        setBoard(undefined)
      }
    },
    [peaks],
  )
  const { parts, cues, beats, selected } = picture
  useEffect(() => board?.show({ parts, cues, beats, selected }), [board, parts, cues, beats, selected])
  useEffect(() => board?.recolour(colours), [board, colours])
  return { board, attach }
}
