import { formatBytes, formatCount } from '@hearth/ui/format'
import type { StorageForecast } from '../api.ts'

/** What a download takes, and what goes for it: `About 420 MiB; 1.2 GiB free of 20 GiB; 3 downloads would go`. */
export function forecastText(forecast: StorageForecast): string {
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
