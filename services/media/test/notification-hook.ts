/** Route of the destinations of notifications. */
export const destinations = '/api/notifications/destinations'
/** A destination that gets every message at an address. */
export const hook = (url: string) => ({
  name: 'Hook',
  is_enabled: true,
  target: { kind: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  rules: {
    classes: null,
    minimum_severity: 'info',
    time_zone: 'UTC',
    quiet_hours: null,
    digest: { every: 'message' },
  },
})
