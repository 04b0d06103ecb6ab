import { z } from 'zod'
import { parseDocument, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type PriceRequest, type PriceSource } from './price-source.ts'

const time = z.iso.datetime({ offset: true })

const Answer = z.object({
  multiAreaEntries: z.array(
    z.object({ deliveryStart: time, deliveryEnd: time, entryPerArea: z.record(z.string(), z.number().nullable()) }),
  ),
})

/** Days of delivery are those of this zone, whatever the area. */
const marketZone = 'Europe/Oslo'

/** Day-ahead prices of Nord Pool; the area is the name of a delivery area, such as `SE3`. */
export const nordPool: PriceSource = {
  requests({ from, until, area, currency }) {
    const requests: PriceRequest[] = []
    for (let day = dayAt(from); Temporal.PlainDate.compare(day, dayAt(until - 1)) <= 0; day = day.add({ days: 1 })) {
      const url = new URL('https://dataportal-api.nordpoolgroup.com/api/DayAheadPrices')
      const values = { date: day.toString(), market: 'DayAhead', deliveryArea: area, currency }
      for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
      requests.push({ url: url.href })
    }
    return requests
  },
  parse(text, { area }) {
    // A day that is not published yet has no content.
    if (text.trim() === '') return []
    const answer = Answer.safeParse(parseDocument(text))
    if (!answer.success) throw new UnreadableAnswer('the answer has no list of areas and prices')
    return pricesOf(
      answer.data.multiAreaEntries.flatMap(({ deliveryStart, deliveryEnd, entryPerArea }) => {
        const price = entryPerArea[area]
        return price == null
          ? []
          : [{ from: Date.parse(deliveryStart), until: Date.parse(deliveryEnd), price: price / 1000 }]
      }),
    )
  },
}

const dayAt = (ms: number): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(marketZone).toPlainDate()
