import type { Drift } from './drift.ts'

/** One sentence about a drift, for the log and the event stream: how the machine differed, and how that ended. */
export function describeDrift(drift: Drift): string {
  const peers = (keys: readonly string[], what: string) => (keys.length === 0 ? [] : [`${keys.length} peer(s) ${what}`])
  const found = [
    ...drift.device,
    ...peers(drift.missing, 'missing'),
    ...peers(drift.changed, 'changed'),
    ...peers(drift.extra, 'not ours'),
  ]
  const where = drift.interface ?? 'The firewall'
  const end = drift.failure === null ? 'put right' : `could not be put right: ${drift.failure}`
  return `${where} was changed from outside (${found.join(', ')}); ${end}`
}
