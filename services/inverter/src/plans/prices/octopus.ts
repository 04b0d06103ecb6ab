import { z } from 'zod'
import { parseDocument, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type PriceSource } from './price-source.ts'

const time = z.iso.datetime({ offset: true })

const Answer = z.object({
  results: z.array(z.object({ value_inc_vat: z.number(), valid_from: time, valid_to: time.nullable() })),
})

/** Unit rates of Octopus Energy with VAT; the area is the code of the tariff, such as `E-1R-AGILE-24-10-01-C`. */
export const octopus: PriceSource = {
  requests({ from, until, area }) {
    const product = /^[EG]-[12]R-(.+)-[A-P]$/i.exec(area)?.[1] ?? area
    const url = new URL(
      `https://api.octopus.energy/v1/products/${encodeURIComponent(product)}/electricity-tariffs/` +
        `${encodeURIComponent(area)}/standard-unit-rates/`,
    )
    url.searchParams.set('period_from', new Date(from).toISOString())
    url.searchParams.set('period_to', new Date(until).toISOString())
    url.searchParams.set('page_size', '1500')
    return [{ url: url.href }]
  },
  parse(text, { until }) {
    const answer = Answer.safeParse(parseDocument(text))
    if (!answer.success) throw new UnreadableAnswer('the answer has no list of unit rates')
    // Pence; a rate without an end holds until further notice.
    return pricesOf(
      answer.data.results.map(({ value_inc_vat: pence, valid_from: from, valid_to: to }) => ({
        from: Date.parse(from),
        until: to === null ? until : Date.parse(to),
        price: pence / 100,
      })),
    )
  },
}
