import { z } from 'zod'
import { parseDocument, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type PriceSource } from './price-source.ts'

const Answer = z.object({
  data: z.array(z.object({ start_timestamp: z.number(), end_timestamp: z.number(), marketprice: z.number() })),
})

/** aWATTar's prices of the exchange; the area is `de` or `at`. */
export const awattar: PriceSource = {
  requests({ from, until, area }) {
    const country = area.toLowerCase() === 'at' ? 'at' : 'de'
    return [{ url: `https://api.awattar.${country}/v1/marketdata?start=${from}&end=${until}` }]
  },
  parse(text) {
    const answer = Answer.safeParse(parseDocument(text))
    if (!answer.success) throw new UnreadableAnswer('the answer has no list of market prices')
    return pricesOf(
      answer.data.data.map(({ start_timestamp: from, end_timestamp: until, marketprice }) => ({
        from,
        until,
        price: marketprice / 1000,
      })),
    )
  },
}
