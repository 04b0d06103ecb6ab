import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicSources, type PublicSource } from './all-sources.ts'
import { parseMapped } from './mapped-json.ts'
import { parsePriceFile } from './price-file.ts'
import type { Price, PriceQuery } from './price-source.ts'
import { windowPrice } from './time-windows.ts'

const query: PriceQuery = {
  from: Date.parse('2026-11-26T23:00Z'),
  until: Date.parse('2026-11-27T23:00Z'),
  area: 'SE3',
  currency: 'EUR',
  key: 'key-1',
}

const parse = (source: PublicSource, text: string, more: Partial<PriceQuery> = {}) =>
  publicSources[source].parse(text, { ...query, ...more })

/** Prices as one line each, for reading. */
const shown = (prices: readonly Price[]) =>
  prices.map(
    ({ from, until, price }) => `${new Date(from).toISOString().slice(0, 16)} ${(until - from) / 60_000} ${price}`,
  )

const period = (start: string, end: string, resolution: string, points: readonly (readonly [number, number])[]) =>
  `<TimeSeries><mRID>1</mRID><currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name><curveType>A03</curveType><Period>
    <timeInterval><start>${start}</start><end>${end}</end></timeInterval><resolution>${resolution}</resolution>
    ${points.map(([at, price]) => `<Point><position>${at}</position><price.amount>${price}</price.amount></Point>`).join('')}
  </Period></TimeSeries>`

const publication = (...series: string[]) =>
  `<?xml version="1.0"?><Publication_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3">
    <period.timeInterval><start>2026-11-26T23:00Z</start><end>2026-11-27T23:00Z</end></period.timeInterval>
    ${series.join('')}</Publication_MarketDocument>`

test('ENTSO-E: a position that is left out has the price before it, and quarter hours count before hours', () => {
  const hours = period('2026-11-26T23:00Z', '2026-11-27T02:00Z', 'PT60M', [
    [1, 90],
    [3, -12.5],
  ])
  const quarters = period('2026-11-26T23:00Z', '2026-11-27T00:00Z', 'PT15M', [
    [1, 80],
    [2, 84],
    [4, 100],
  ])
  assert.deepEqual(shown(parse('entsoe', publication(hours, quarters))), [
    '2026-11-26T23:00 15 0.08',
    '2026-11-26T23:15 15 0.084',
    '2026-11-26T23:30 15 0.084',
    '2026-11-26T23:45 15 0.1',
    '2026-11-27T00:00 60 0.09',
    '2026-11-27T01:00 60 -0.0125',
  ])
})

test('ENTSO-E: days of 23 and 25 hours have that many prices', () => {
  const count = (start: string, end: string) =>
    parse('entsoe', publication(period(start, end, 'PT60M', [[1, 50]]))).length
  assert.equal(count('2026-03-28T23:00Z', '2026-03-29T22:00Z'), 23)
  assert.equal(count('2026-10-24T22:00Z', '2026-10-25T23:00Z'), 25)
})

test('ENTSO-E: a day without prices is empty, and a refusal is told in its words', () => {
  const refusal = (text: string) =>
    `<Acknowledgement_MarketDocument><Reason><code>999</code><text>${text}</text></Reason></Acknowledgement_MarketDocument>`
  assert.deepEqual(parse('entsoe', refusal('No matching data found for Data item')), [])
  assert.throws(() => parse('entsoe', refusal('Unauthorized')), /the platform says: Unauthorized/)
  assert.throws(() => parse('entsoe', '<html>busy</html>'), /no period/)
})

test('ENTSO-E: of several auctions of a zone that of the coupled market counts, another only without it', () => {
  const day = ['2026-11-26T23:00Z', '2026-11-26T23:15Z', 'PT15M'] as const
  const auction = (position: number, price: number) =>
    period(...day, [[1, price]]).replace(
      '<curveType>',
      `<classificationSequence_AttributeInstanceComponent.position>${position}</classificationSequence_AttributeInstanceComponent.position><curveType>`,
    )
  const pricesOf = (...series: string[]) => parse('entsoe', publication(...series)).map(({ price }) => price)
  assert.deepEqual(pricesOf(auction(1, 80), auction(2, 95)), [0.08])
  assert.deepEqual(pricesOf(auction(2, 95), auction(1, 80)), [0.08])
  assert.deepEqual(pricesOf(auction(3, 99), auction(2, 95)), [0.095])
  assert.deepEqual(pricesOf(auction(2, 95), period(...day, [[1, 70]])), [0.07])
})

test('ENTSO-E: prices in another currency, or for another unit, are refused in words that name both', () => {
  const answer = publication(period('2026-11-26T23:00Z', '2026-11-27T00:00Z', 'PT60M', [[1, 450]]))
  assert.throws(
    () => parse('entsoe', answer.replace('>EUR<', '>PLN<')),
    /the prices are in PLN, and the currency of the settings is EUR/,
  )
  assert.throws(
    () => parse('entsoe', answer, { currency: 'SEK' }),
    /the prices are in EUR, and the currency of the settings is SEK/,
  )
  assert.throws(() => parse('entsoe', answer.replace('>MWH<', '>KWH<')), /the prices are for KWH instead of MWH/)
})

test('ENTSO-E: answers that are larger than any day or broken are refused in words', () => {
  const fill = (part: string) => part.repeat(Math.floor((4 * 1_048_576) / part.length))
  // Read element by element to the end of the text these take hours.
  assert.throws(() => parse('entsoe', fill('<Period>')), /no period/)
  assert.throws(() => parse('entsoe', publication(fill('<Period>'))), /no period/)
  assert.throws(() => parse('entsoe', fill('<TimeSeries>')), /no period/)
  assert.throws(
    () => parse('entsoe', `<Acknowledgement_MarketDocument>${fill('<Reason>')}`),
    /the platform says: nothing/,
  )
  assert.throws(
    () => parse('entsoe', publication(`<TimeSeries>${fill('<Period></Period>')}</TimeSeries>`)),
    /more than 500 periods/,
  )
  assert.throws(() => parse('entsoe', fill('<TimeSeries><Period></Period></TimeSeries>')), /more than 500 series/)
  const hour = period('2026-11-26T23:00Z', '2026-11-27T00:00Z', 'PT60M', [])
  assert.throws(() => parse('entsoe', hour.replace('</Period>', `${fill('<Point></Point>')}</Period>`)), /5000 prices/)
  const days = period('2026-11-26T23:00Z', '2026-12-06T23:00Z', 'PT15M', [[1, 50]])
  assert.equal(parse('entsoe', publication(days)).length, 960)
  assert.throws(() => parse('entsoe', publication(...Array.from({ length: 6 }, () => days))), /5000 prices/)
})

test('aWATTar: prices of a megawatt-hour, negative ones too', () => {
  const data = [
    { start_timestamp: 1795734000000, end_timestamp: 1795737600000, marketprice: 42.09, unit: 'Eur/MWh' },
    { start_timestamp: 1795737600000, end_timestamp: 1795741200000, marketprice: -3, unit: 'Eur/MWh' },
  ]
  const prices = parse('awattar', JSON.stringify({ object: 'list', data, url: '/at/v1/marketdata' }))
  assert.deepEqual(
    prices.map(({ price }) => price),
    [0.04209, -0.003],
  )
})

test('Tibber: the total of a home in its own offset, today and tomorrow', () => {
  const home = (id: string, price: number) => ({
    id,
    currentSubscription: {
      priceInfo: {
        today: [
          { total: price, startsAt: '2026-11-27T23:30:00.000+01:00' },
          { total: price + 0.01, startsAt: '2026-11-27T23:45:00.000+01:00' },
        ],
        tomorrow: [],
      },
    },
  })
  const text = JSON.stringify({
    data: { viewer: { homes: [{ id: 'old', currentSubscription: null }, home('a', 0.3), home('b', 0.4)] } },
  })
  assert.deepEqual(shown(parse('tibber', text, { area: '' })), ['2026-11-27T22:30 15 0.3', '2026-11-27T22:45 15 0.31'])
  assert.equal(parse('tibber', text, { area: 'b' })[0]?.price, 0.4)
  assert.throws(() => parse('tibber', text, { area: 'c' }), /no home c/)
  const refused = JSON.stringify({ data: null, errors: [{ message: 'invalid token' }] })
  assert.throws(() => parse('tibber', refused), /Tibber says: invalid token/)
})

test('Octopus: half hours in pence, newest first, and a rate without an end', () => {
  const rate = (from: string, to: string | null, value: number) => ({
    value_exc_vat: value / 1.05,
    value_inc_vat: value,
    valid_from: from,
    valid_to: to,
    payment_method: null,
  })
  const results = [rate('2026-11-27T00:00:00Z', null, 21), rate('2026-11-26T23:30:00Z', '2026-11-27T00:00:00Z', -1.5)]
  const text = JSON.stringify({ count: 2, next: null, previous: null, results })
  assert.deepEqual(shown(parse('octopus', text)), ['2026-11-26T23:30 30 -0.015', '2026-11-27T00:00 1380 0.21'])
  const [request] = publicSources.octopus.requests({ ...query, area: 'E-1R-AGILE-24-10-01-C' })
  assert.match(
    request?.url ?? '',
    /products\/AGILE-24-10-01\/electricity-tariffs\/E-1R-AGILE-24-10-01-C\/standard-unit-rates/,
  )
})

test('Nord Pool: one request for each day of delivery, one area of the answer, and an empty answer before publication', () => {
  const entry = (hour: string, end: string, price: number) => ({
    deliveryStart: `2026-11-27T${hour}:00Z`,
    deliveryEnd: `2026-11-27T${end}:00Z`,
    entryPerArea: { SE3: price, SE4: 1000 },
  })
  const text = JSON.stringify({
    deliveryDateCET: '2026-11-27',
    multiAreaEntries: [entry('10:00', '10:15', 45), entry('10:15', '10:30', 50)],
  })
  assert.deepEqual(shown(parse('nord-pool', text)), ['2026-11-27T10:00 15 0.045', '2026-11-27T10:15 15 0.05'])
  assert.deepEqual(parse('nord-pool', ''), [])
  const dates = publicSources['nord-pool']
    .requests({ ...query, until: query.until + 3_600_000 })
    .map(({ url }) => new URL(url).searchParams.get('date'))
  assert.deepEqual(dates, ['2026-11-27', '2026-11-28'])
})

test('keys stay out of addresses where the service takes them in a header', () => {
  const urls = (['awattar', 'tibber', 'octopus', 'nord-pool'] as const).flatMap((name) =>
    publicSources[name].requests(query),
  )
  assert.ok(urls.every(({ url }) => !url.includes(query.key)))
})

test('any JSON is read by the places that are given, in hundredths and with times in seconds', () => {
  const text = JSON.stringify({
    result: {
      rows: [
        { at: 1795734000, cost: { net: '21.5' } },
        { at: 1795735800, cost: { net: -2 } },
      ],
    },
  })
  const mapping = { list: 'result.rows', start: 'at', end: '', price: 'cost.net', divisor: 100 }
  assert.deepEqual(
    parseMapped(text, mapping).map(({ from, until, price }) => [until - from, price]),
    [
      [1_800_000, 0.215],
      [1_800_000, -0.02],
    ],
  )
  assert.throws(() => parseMapped(text, { ...mapping, list: 'rows' }), /no list at rows/)
  assert.throws(() => parseMapped(text, { ...mapping, price: 'price' }), /entry 1 has no number at price/)
  assert.throws(() => parseMapped(text, { ...mapping, start: 'when' }), /entry 1 has no time at when/)
})

test('a file of prices: the hour that exists twice stands there with two offsets', () => {
  const lines = [
    'start,price',
    '2026-10-25T02:00+02:00,0.20',
    '2026-10-25T02:00+01:00,0.25',
    '# end',
    '2026-10-25T03:00+01:00,0.30',
    '',
  ]
  assert.deepEqual(shown(parsePriceFile(lines.join('\n'))), [
    '2026-10-25T00:00 60 0.2',
    '2026-10-25T01:00 60 0.25',
    '2026-10-25T02:00 60 0.3',
  ])
  assert.throws(
    () => parsePriceFile('start,price\n2026-10-25T02:00,0.2'),
    /line 2 begins with no time that has an offset/,
  )
  assert.throws(() => parsePriceFile('2026-10-25T02:00Z,cheap'), /line 1 has no price/)
})

test('a file of prices: with semicolons a comma is the decimal point, and a comma too many is refused by its line', () => {
  const german =
    'Beginn;Preis\n2026-11-28T00:00:00+01:00;0,25\n2026-11-28T01:00:00+01:00; -0,5\n2026-11-28T02:00:00+01:00;0.3'
  assert.deepEqual(
    parsePriceFile(german).map(({ price }) => price),
    [0.25, -0.5, 0.3],
  )
  const start = '2026-11-28T00:00:00+01:00'
  assert.throws(() => parsePriceFile(`start,price\n${start},0,25`), /line 2 has 3 values instead of a time and a price/)
  assert.throws(() => parsePriceFile(`${start};0,25;0,3`), /line 1 has 3 values instead of a time and a price/)
  assert.throws(() => parsePriceFile(`${start};1.000,25`), /line 1 has no price after the time/)
})

test('a missing hour stays missing', () => {
  const prices = parsePriceFile('2026-11-27T00:00Z,0.2\n2026-11-27T01:00Z,0.2\n2026-11-27T05:00Z,0.2')
  assert.deepEqual(shown(prices), ['2026-11-27T00:00 60 0.2', '2026-11-27T01:00 60 0.2', '2026-11-27T05:00 60 0.2'])
})

test('windows follow the clocks of their zone, over midnight and over a clock change', () => {
  const windows = [
    { days: 'weekdays', from: '22:00', to: '06:00', price: 0.2 },
    { days: 'weekends', from: '00:00', to: '24:00', price: 0.22 },
  ] as const
  const at = (text: string) => windowPrice(windows, Date.parse(text), 'Europe/Berlin')
  assert.equal(at('2026-11-27T20:59Z'), undefined)
  assert.equal(at('2026-11-27T21:00Z'), 0.2)
  // Saturday morning belongs to the night that began on Friday.
  assert.equal(at('2026-11-28T04:59Z'), 0.2)
  assert.equal(at('2026-11-28T05:00Z'), 0.22)
  // Before the clocks are put back 22:00 is 20:00 in UTC, afterwards 21:00.
  assert.equal(at('2026-10-22T20:00Z'), 0.2)
  assert.equal(at('2026-10-26T20:00Z'), undefined)
})
