import { defineCollector, type Collector } from '@hearth/metrics'
import type { Notifications } from './notifications.ts'

/**
 * The figures of notifications.
 *
 * @param service as in the names of its metrics: `sites`
 */
export function notificationCollector(service: string, notifications: Pick<Notifications, 'figures'>): Collector {
  const prefix = `hearth_${service}_notification`
  return defineCollector({
    name: 'notifications',
    figures: {
      [`${prefix}_attempts_total`]: {
        type: 'counter',
        help: 'Attempts to send a notification since the start, by kind of destination and outcome',
      },
      [`${prefix}s_waiting`]: { type: 'gauge', help: 'Notifications that are not sent yet' },
      [`${prefix}s_failed`]: { type: 'gauge', help: 'Notifications that were given up and not dismissed' },
    },
    async read() {
      const { attempts, waiting, dead } = await notifications.figures()
      return {
        [`${prefix}_attempts_total`]: attempts,
        [`${prefix}s_waiting`]: waiting,
        [`${prefix}s_failed`]: dead,
      }
    },
  })
}
