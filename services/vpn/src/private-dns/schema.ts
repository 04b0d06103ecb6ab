import { z } from 'zod'
import { Timestamp } from '../envelope.ts'

const Place = z.object({
  address: z.string(),
  port: z.int(),
  error: z.string().nullable().meta({ description: 'What keeps it from listening; null when it listens' }),
})

/** The certificate in use. */
const PrivateDnsCertificate = z
  .object({
    names: z.array(z.string()).meta({ description: 'Host names it holds for' }),
    valid_from: Timestamp,
    valid_to: Timestamp,
    for_tls: z.boolean().meta({ description: 'It holds for all names below the host name: DNS over TLS needs that' }),
    for_https: z.boolean().meta({ description: 'It holds for the host name itself: DNS over HTTPS needs that' }),
  })
  .meta({ id: 'PrivateDnsCertificate' })

/** DNS for devices outside the tunnels: what is set and how it goes. */
export const PrivateDnsStatus = z
  .object({
    enabled: z.boolean().meta({ description: 'False until the environment names a host and an address to listen at' }),
    host: z.string().nullable().meta({ description: '`DNS_TLS_NAME`' }),
    https_url: z.string().nullable().meta({ description: 'Address of DNS over HTTPS, without a device’s secret' }),
    tls: z.array(Place),
    https: z.array(Place),
    http: z.array(Place).meta({ description: 'For a reverse proxy' }),
    certificate: PrivateDnsCertificate.nullable(),
    certificate_problem: z
      .string()
      .nullable()
      .meta({ description: 'What is wrong with the files as they are now; the certificate before stays in use' }),
    devices: z.int().min(0).meta({ description: 'Peers that have a secret' }),
  })
  .meta({ id: 'PrivateDnsStatus' })
export type PrivateDnsStatus = z.infer<typeof PrivateDnsStatus>

/** Whether a peer may ask from outside the tunnel; its secret is never shown again. */
export const PeerPrivateDns = z
  .object({
    available: z.boolean().meta({ description: 'False while the service does not answer outside the tunnels' }),
    active: z.boolean().meta({ description: 'The peer has a secret' }),
    created_at: Timestamp.nullable(),
    created_by: z.string().nullable().meta({ description: 'User name' }),
  })
  .meta({ id: 'PeerPrivateDns' })
export type PeerPrivateDns = z.infer<typeof PeerPrivateDns>

/** The addresses of a device, shown this once. Each holds its secret. */
export const PeerPrivateDnsCreated = PeerPrivateDns.extend({
  tls_host: z
    .string()
    .nullable()
    .meta({ description: 'Host name for DNS over TLS, port 853: “Private DNS” of Android; null when it is off' }),
  https_url: z.string().nullable().meta({ description: 'Address for DNS over HTTPS; null when it is off' }),
  apple_profile: z.string().meta({ description: 'Configuration profile (`.mobileconfig`) for iOS, iPadOS and macOS' }),
  file_name: z.string().meta({ description: 'Name under which to save the profile' }),
}).meta({ id: 'PeerPrivateDnsCreated' })
export type PeerPrivateDnsCreated = z.infer<typeof PeerPrivateDnsCreated>
