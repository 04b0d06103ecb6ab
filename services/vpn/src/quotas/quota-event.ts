import type { NewNotification } from '@hearth/notifications'
import type { PeerQuota } from './schema.ts'

/** The notification of a peer that came near its quota, or used it up. */
export function quotaEvent({ id, name }: { id: string; name: string }, quota: PeerQuota): NewNotification {
  const isOver = quota.state === 'over'
  const until = new Date(quota.until).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
  const consequence = {
    notify: `It goes on as before.`,
    slow: `It is slowed down to ${quota.slow_to} Mbit/s until ${until}.`,
    stop: `It is stopped until ${until}.`,
  }[quota.at_limit]
  return {
    class: isOver ? 'peer.quota-used-up' : 'peer.quota-near',
    title: isOver ? `${name} has used up its quota` : `${name} has used 80 % of its quota`,
    text: `${gigabytes(quota.used)} of ${gigabytes(quota.bytes)} until ${until}.${isOver ? ` ${consequence}` : ''}`,
    path: `/peers/${id}`,
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toLocaleString('en', { maximumFractionDigits: 2 })} GB`
