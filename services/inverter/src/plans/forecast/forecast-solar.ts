import { z } from 'zod'
import { quarterMs, type Stretch } from '../quarters/quarters.ts'
import { parseDocument, SourceRefusal, UnreadableAnswer } from '../source-answer.ts'
import type { ForecastSource } from './forecast-source.ts'

const Answer = z.object({ result: z.record(z.string(), z.number()) })
const Refusal = z.object({ message: z.object({ code: z.int().min(1), text: z.string() }) })

/**
 * Forecast.Solar: powers at times from sunrise to sunset, between which the power goes in a straight line. The nights before,
 * between and after them are dark.
 */
export const forecastSolar: ForecastSource = {
  url: ({ latitude, longitude }, { tilt, azimuth, peak_w: peak }) =>
    `https://api.forecast.solar/estimate/watts/${latitude}/${longitude}/${tilt}/${azimuth}/${peak / 1000}?time=utc`,
  parse(text, { peak_w: peak }) {
    const document = parseDocument(text)
    const refusal = Refusal.safeParse(document)
    if (refusal.success) throw new SourceRefusal(`Forecast.Solar says: ${refusal.data.message.text.slice(0, 200)}`)
    const answer = Answer.safeParse(document)
    if (!answer.success) throw new UnreadableAnswer('the answer has no powers')
    const points = Object.entries(answer.data.result)
      .map(([time, watts]) => ({ at: Date.parse(time), watts }))
      .filter(({ at }) => !Number.isNaN(at))
      .toSorted((a, b) => a.at - b.at)
    const darkW = peak * darkShare
    return [
      ...beforeFirst(points, darkW),
      ...points.flatMap((point, index) => between(points[index - 1], point)),
      ...afterLast(points, darkW),
    ]
  },
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

interface Point {
  readonly at: number
  readonly watts: number
}

/** Longest time between two powers of one day; the nights are longer, and have no power. */
const longestMs = 3 * hourMs

/** Share of the full power below which a day begins or ends. */
const darkShare = 0.05

/** The night before a sunrise; an answer that begins in the day says what the hour before gave. */
function beforeFirst([first]: readonly Point[], darkW: number): Stretch[] {
  if (first === undefined) return []
  const { at, watts } = first
  return watts < darkW ? [{ from: at - dayMs, until: at, value: 0 }] : [{ from: at - hourMs, until: at, value: watts }]
}

/** The night after a sunset, until the sun rises as on its day. */
function afterLast(points: readonly Point[], darkW: number): Stretch[] {
  const last = points.at(-1)
  if (last === undefined || last.watts >= darkW) return []
  const sunrise = points.findLast(({ at }, index) => at - (points[index - 1]?.at ?? -Infinity) > longestMs)
  return sunrise === undefined ? [] : [{ from: last.at, until: sunrise.at + dayMs, value: 0 }]
}

function between(before: Point | undefined, { at, watts }: Point): Stretch[] {
  if (before === undefined) return []
  const isNight = at - before.at > longestMs || (before.watts === 0 && watts === 0)
  if (isNight) return [{ from: before.at, until: at, value: 0 }]
  const parts = Math.max(1, Math.ceil((at - before.at) / quarterMs))
  const length = (at - before.at) / parts
  return Array.from({ length: parts }, (_, part) => ({
    from: before.at + part * length,
    until: before.at + (part + 1) * length,
    value: before.watts + ((watts - before.watts) * (part + 0.5)) / parts,
  }))
}
