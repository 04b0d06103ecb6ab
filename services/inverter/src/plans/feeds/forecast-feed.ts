import { forecastSolar } from '../forecast/forecast-solar.ts'
import type { ForecastSource } from '../forecast/forecast-source.ts'
import { openMeteo } from '../forecast/open-meteo.ts'
import { sumOfPlanes } from '../forecast/sum-of-planes.ts'
import { parsePriceFile } from '../prices/price-file.ts'
import type { Stretch } from '../quarters/quarters.ts'
import { replaceForecast } from '../store.ts'
import { withJitter, type Loaded } from './feed.ts'
import { readPlanFile } from './plan-files.ts'
import type { PriceFeedContext } from './price-feed.ts'
import { createRequests } from './request.ts'

const hourMs = 3_600_000
const sources: Readonly<Record<string, ForecastSource>> = { 'open-meteo': openMeteo, 'forecast-solar': forecastSolar }

/** Loads the forecast of the sun and stores it. */
export async function loadForecast(context: PriceFeedContext, signal: AbortSignal): Promise<Loaded> {
  const { dependencies, settings } = context
  const now = dependencies.timers.now()
  if (settings.forecast_source === 'none') return { dueAt: Infinity, isNew: false }
  const stretches = await fetchForecast(context, signal)
  if (!stretches.some(({ until }) => until > now)) throw new Error('the source has no forecast from now on')
  signal.throwIfAborted()
  const isNew = await replaceForecast(dependencies.database.query, stretches, now - hourMs)
  return { dueAt: now + (settings.forecast_source === 'file' ? 600_000 : withJitter(3 * hourMs)), isNew }
}

async function fetchForecast({ dependencies, settings }: PriceFeedContext, signal: AbortSignal): Promise<Stretch[]> {
  if (settings.forecast_source === 'file') {
    const text = await readPlanFile(dependencies.dataDirectory, ['solar.csv', 'solar.json'])
    return parsePriceFile(text).map(({ from, until, price }) => ({ from, until, value: price }))
  }
  const source = sources[settings.forecast_source]
  const { latitude, longitude } = settings
  if (source === undefined || latitude === null || longitude === null) return []
  const send = createRequests(dependencies.allow, signal)
  const planes: Stretch[][] = []
  for (const plane of settings.planes) {
    const url = source.url({ latitude, longitude }, plane)
    const parse = (text: string) => source.parse(text, plane)
    planes.push(parse(await send({ url }, parse)))
  }
  return sumOfPlanes(planes)
}
