import { z } from 'zod'
import { quarterMs, type Stretch } from '../quarters/quarters.ts'
import { parseDocument, SourceRefusal, UnreadableAnswer } from '../source-answer.ts'
import type { ForecastSource } from './forecast-source.ts'

const Answer = z.object({
  minutely_15: z.object({
    time: z.array(z.number()),
    global_tilted_irradiance: z.array(z.number().nullable()),
  }),
})

const Refusal = z.object({ reason: z.string() })

/** What panels, cables and inverter give of the light that falls on them. */
const performance = 0.85

/** Open-Meteo: irradiance of tilted panels, each value the mean of the quarter hour before its time. */
export const openMeteo: ForecastSource = {
  url({ latitude, longitude }, { tilt, azimuth }) {
    const url = new URL('https://api.open-meteo.com/v1/forecast')
    const values = { latitude, longitude, tilt, azimuth, forecast_days: 3, past_days: 1 }
    for (const [name, value] of Object.entries(values)) url.searchParams.set(name, String(value))
    url.searchParams.set('minutely_15', 'global_tilted_irradiance')
    url.searchParams.set('timeformat', 'unixtime')
    return url.href
  },
  parse(text, { peak_w: peak }) {
    const document = parseDocument(text)
    const refusal = Refusal.safeParse(document)
    if (refusal.success) throw new SourceRefusal(`Open-Meteo says: ${refusal.data.reason.slice(0, 200)}`)
    const answer = Answer.safeParse(document)
    if (!answer.success) throw new UnreadableAnswer('the answer has no irradiance of quarter hours')
    const { time, global_tilted_irradiance: light } = answer.data.minutely_15
    return time.flatMap((seconds, index): Stretch[] => {
      const value = light[index]
      const until = seconds * 1000
      return value == null ? [] : [{ from: until - quarterMs, until, value: (value / 1000) * peak * performance }]
    })
  },
}
