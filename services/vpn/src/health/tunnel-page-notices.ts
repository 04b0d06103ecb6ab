import type { HealthNotice } from './schema.ts'

/** The page inside the tunnel, as far as health examines it. */
export interface TunnelPageFacts {
  readonly places: readonly {
    readonly interface: string
    readonly address: string
    readonly port: number
    readonly error: string | null
  }[]
}

/** What is wrong with the page inside the tunnel. */
export function tunnelPageNotices({ places }: TunnelPageFacts): HealthNotice[] {
  const failed = places.filter(({ error }) => error !== null)
  if (failed.length === 0) return []
  return [
    {
      code: 'tunnel_page',
      severity: 'warning',
      title: 'The page inside the tunnel cannot be reached',
      detail: failed
        .map(({ interface: name, address, port, error }) => `${name}, ${address} port ${port}: ${error}`)
        .join('; '),
      advice: 'Free the port from other programs, or choose another one under Settings, Page inside the tunnel.',
    },
  ]
}
