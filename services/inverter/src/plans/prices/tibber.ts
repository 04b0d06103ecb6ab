import { z } from 'zod'
import { parseDocument, SourceRefusal, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type PriceSource } from './price-source.ts'

const Entries = z
  .array(z.object({ total: z.number().nullable(), startsAt: z.iso.datetime({ offset: true }) }))
  .nullish()

const Answer = z.object({
  data: z
    .object({
      viewer: z.object({
        homes: z.array(
          z.object({
            id: z.string(),
            currentSubscription: z
              .object({ priceInfo: z.object({ today: Entries, tomorrow: Entries }).nullable() })
              .nullable(),
          }),
        ),
      }),
    })
    .nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
})

const query = `{ viewer { homes { id currentSubscription { priceInfo(resolution: QUARTER_HOURLY) {
  today { total startsAt } tomorrow { total startsAt } } } } } }`

/** Tibber's price for a home, with taxes; the area is the id of the home, the first with a contract when it is empty. */
export const tibber: PriceSource = {
  requests: ({ key }) => [
    {
      url: 'https://api.tibber.com/v1-beta/gql',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query }),
    },
  ],
  parse(text, { area }) {
    const answer = Answer.safeParse(parseDocument(text))
    if (!answer.success) throw new UnreadableAnswer('the answer has no prices of homes')
    const { data, errors } = answer.data
    if (data == null) throw new SourceRefusal(`Tibber says: ${errors?.[0]?.message.slice(0, 200) ?? 'nothing'}`)
    const homes = data.viewer.homes.filter(({ id }) => area === '' || id === area)
    const info = homes.find(({ currentSubscription }) => currentSubscription?.priceInfo != null)?.currentSubscription
    if (info?.priceInfo == null)
      throw new UnreadableAnswer(area === '' ? 'no home has a contract' : `there is no home ${area} with a contract`)
    const { today, tomorrow } = info.priceInfo
    return pricesOf(
      [...(today ?? []), ...(tomorrow ?? [])].flatMap(({ total, startsAt }) =>
        total === null ? [] : [{ from: Date.parse(startsAt), price: total }],
      ),
    )
  },
}
