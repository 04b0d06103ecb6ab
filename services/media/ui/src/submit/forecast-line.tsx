import { answer } from '@hearth/ui'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys } from '../api.ts'
import type { Choices } from './choices.ts'
import { forecastText } from './forecast-text.ts'

/** Size of a download before it is fetched, and what would go for it. Nothing while that is not known. */
export function ForecastLine({ address, choices: { type, quality } }: { address: string; choices: Choices }) {
  const forecast = useQuery({
    queryKey: keys.forecast(address, type, quality),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/storage/forecast', { signal, params: { query: { url: address, type, quality } } })),
    staleTime: 60_000,
    retry: false,
  })
  const text = forecast.data === undefined ? '' : forecastText(forecast.data)
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
