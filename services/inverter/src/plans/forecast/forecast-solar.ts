import { z } from 'zod'
import { quarterMs, type Stretch } from '../quarters/quarters.ts'
import { parseDocument, UnreadableForecast, type ForecastSource } from './forecast-source.ts'

const Answer = z.object({ result: z.record(z.string(), z.number()) })
const Refusal = z.object({ message: z.object({ code: z.int().min(1), text: z.string() }) })

/** Forecast.Solar: powers at times, between which the power goes in a straight line. */
export const forecastSolar: ForecastSource = {
  url: ({ latitude, longitude }, { tilt, azimuth, peak_w: peak }) =>
    `https://api.forecast.solar/estimate/watts/${latitude}/${longitude}/${tilt}/${azimuth}/${peak / 1000}?time=utc`,
  parse(text) {
    const document = parseDocument(text)
    const refusal = Refusal.safeParse(document)
    if (refusal.success) throw new UnreadableForecast(`Forecast.Solar says: ${refusal.data.message.text.slice(0, 200)}`)
    const answer = Answer.safeParse(document)
    if (!answer.success) throw new UnreadableForecast('the answer has no powers')
    const points = Object.entries(answer.data.result)
      .map(([time, watts]) => ({ at: Date.parse(time), watts }))
      .filter(({ at }) => !Number.isNaN(at))
      .toSorted((a, b) => a.at - b.at)
    return points.flatMap((point, index) => between(points[index - 1], point))
  },
}

interface Point {
  readonly at: number
  readonly watts: number
}

/** Longest time between two powers of one day; the nights are longer, and have no power. */
const longestMs = 3 * 3_600_000

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
