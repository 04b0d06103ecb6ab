import { answer, formatBytes, formatCount } from '@hearth/ui'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, type StorageForecast } from '../api.ts'
import type { Choices } from './choices.ts'

/** Size of a download before it is fetched, and what would go for it. Nothing while that is not known. */
export function ForecastLine({ address, choices: { type, quality } }: { address: string; choices: Choices }) {
  const forecast = useQuery({
    queryKey: keys.forecast(address, type, quality),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/storage/forecast', { signal, params: { query: { url: address, type, quality } } })),
    staleTime: 60_000,
    retry: false,
  })
  const text = forecast.data === undefined ? '' : textOf(forecast.data)
  if (text === '') return null
  const isTooMuch = forecast.data?.fits === false
  return (
    <Text size="sm" c={isTooMuch ? 'red' : 'dimmed'} component="output">
      {text}{' '}
      {isTooMuch && (
        <Link className="hearth-link" href="/settings?tab=storage">
          Make room
        </Link>
      )}
    </Text>
  )
}

/** `About 420 MiB; 1.2 GiB free of 20 GiB; 3 downloads would go` */
export function textOf(forecast: StorageForecast): string {
  const { bytes, budget_bytes: budget, free_bytes: free, fits } = forecast
  if (bytes === null) return ''
  const going = [
    forecast.copies_leaving === 0
      ? ''
      : formatCount(forecast.copies_leaving, 'conversion or wave', 'conversions and waves'),
    forecast.downloads_leaving === 0 ? '' : formatCount(forecast.downloads_leaving, 'download'),
  ].filter((part) => part !== '')
  const parts = [
    `About ${formatBytes(bytes)}`,
    budget === 0 && fits ? '' : `${formatBytes(free)} free${budget === 0 ? '' : ` of ${formatBytes(budget)}`}`,
    fits ? '' : 'it does not fit, even when everything goes that may',
    fits && going.length > 0 ? `${going.join(' and ')} would go` : '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}
