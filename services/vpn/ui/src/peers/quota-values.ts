import type { components } from '../api.gen.ts'
import type { Peer } from '../api.ts'

type Quota = NonNullable<Peer['quota']>
type QuotaSet = components['schemas']['PeerQuotaSet']

/** Values of the quota form. */
export interface QuotaValues extends Record<string, unknown> {
  /** GB. */
  bytes: number | ''
  counts: Quota['counts']
  period: Quota['period']
  start_day: number | ''
  at_limit: Quota['at_limit']
  /** Mbit/s. */
  slow_to: number | ''
}

const gigabyte = 1e9

/** The form for a quota that exists, or for a new one. */
export function quotaValues(quota: Quota | null): QuotaValues {
  return {
    bytes: quota === null ? '' : quota.bytes / gigabyte,
    counts: quota?.counts ?? 'both',
    period: quota?.period ?? 'month',
    start_day: quota?.start_day ?? 1,
    at_limit: quota?.at_limit ?? 'notify',
    slow_to: quota?.slow_to ?? 1,
  }
}

/** The body that sets a quota. */
export function fromQuotaValues(values: QuotaValues): QuotaSet {
  return {
    bytes: Math.round(Number(values.bytes) * gigabyte),
    counts: values.counts,
    period: values.period,
    start_day: Number(values.start_day),
    at_limit: values.at_limit,
    slow_to: values.at_limit === 'slow' ? Number(values.slow_to) : null,
  }
}

/** An amount as it is sold: `12.5 GB`. */
export function gigabytes(bytes: number): string {
  return `${(bytes / gigabyte).toLocaleString('en', { maximumFractionDigits: bytes < gigabyte ? 3 : 1 })} GB`
}

/** One sentence about the state of a quota: `Over its quota, stopped until 1 December.` */
export function quotaText(quota: Quota): string {
  const date = new Date(quota.until)
  const until = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })
  if (quota.state === 'over')
    return {
      notify: `Over its quota until ${until}; it goes on as before.`,
      slow: `Over its quota, slowed down to ${quota.slow_to} Mbit/s until ${until}.`,
      stop: `Over its quota, stopped until ${until}.`,
    }[quota.at_limit]
  const then = {
    notify: 'you are notified',
    slow: `it is slowed down to ${quota.slow_to} Mbit/s`,
    stop: 'it is stopped',
  }[quota.at_limit]
  const period = quota.period === 'month' ? `Begins anew on ${until}.` : 'Counts the last 30 days.'
  return `${period} When it is used up, ${then}.`
}
