import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { isLoopbackAddress } from './nodes/admin-address.ts'
import { forbidden, notFound } from '../problems.ts'
import { readDomain } from '../sites/domains.ts'

/** Path that Caddy requests; see `onDemandAskUrl`. */
const path = '/api/v1/on-demand/ask'

/** The endpoint that Caddy requests before it gets an on-demand certificate: it succeeds for names of sites with that TLS mode. */
export function onDemandRoutes(mayHaveCertificate: (domain: string) => Promise<boolean>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path,
        tag: 'Caddy',
        summary: 'Whether a name may get a certificate at its first visit',
        description: 'For the Caddy on this machine alone: 200 when it may, else 404.',
        access: 'always',
        limit: '600/min',
        query: z.strictObject({ domain: z.string().min(1).max(255) }),
        success: { status: 200, body: z.object({ allowed: z.literal(true) }).meta({ id: 'OnDemandAnswer' }) },
        errors: [403, 404],
      },
      async ({ query, client }) => {
        if (!isLoopbackAddress(client.address.replace(/^::ffff:/, '')))
          throw forbidden('Only the Caddy on this machine may ask')
        const reading = readDomain(query.domain)
        if ('domain' in reading && (await mayHaveCertificate(reading.domain))) return { allowed: true as const }
        throw notFound('site')
      },
    ),
  ]
}

/** The address for Caddy's configuration; undefined when the service cannot be reached over loopback. */
export function onDemandAskUrl(bindAddress: string, port: number): string | undefined {
  if (bindAddress === '::1') return `http://[::1]:${port}${path}`
  const isReachable = isLoopbackAddress(bindAddress) || bindAddress === '0.0.0.0' || bindAddress === '::'
  return isReachable ? `http://127.0.0.1:${port}${path}` : undefined
}
