import { hasCredentials } from '@hearth/runtime'
import { z } from 'zod'
import { ResolverList } from '../interfaces/schema.ts'
import { RoutingMode } from '../peers/schema.ts'

/** A host name or IP address as devices reach this server, without port; empty for "as the browser reached it". */
export const PublicEndpoint = z
  .string()
  .max(253)
  .refine(
    (host) =>
      host === '' ||
      z.union([z.ipv4(), z.ipv6()]).safeParse(host).success ||
      /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(host),
    'must be a host name or an IP address without port',
  )

/** URL that a database is downloaded from; empty for none. */
const downloadUrl = z
  .string()
  .max(2048)
  .refine(
    (url) => url === '' || z.url({ protocol: /^https?$/ }).safeParse(url).success,
    'must be an http or https address',
  )
  .refine((url) => !hasCredentials(url), 'must not contain a user name or a password')

const members = {
  public_endpoint: PublicEndpoint.meta({ description: 'Host of the Endpoint line in device configurations' }),
  default_dns: ResolverList.meta({
    description: 'Resolvers of new interfaces, comma-separated; empty for the filtering resolver of this service',
  }),
  default_mtu: z.int().min(1280).max(9000),
  default_persistent_keepalive: z.int().min(0).max(65_535),
  default_routing_mode: RoutingMode.exclude(['custom']),
  sample_interval_seconds: z.int().min(1).max(300).meta({ description: 'How often handshakes and counters are read' }),
  expiry_warning_days: z.int().min(0).max(365).meta({
    description: 'Days before a peer expires at which it is told and marked; 0 for no warning',
  }),
  silent_peer_days: z
    .int()
    .min(1)
    .max(3650)
    .meta({ description: 'Days without a handshake after which the page proposes to review a peer' }),
  connection_history_days: z
    .int()
    .min(1)
    .max(3650)
    .meta({ description: 'Connections of peers that began earlier are deleted' }),
  connection_history_rows: z
    .int()
    .min(1000)
    .max(10_000_000)
    .meta({ description: 'Connections that are kept at most, of all peers together; the oldest are deleted' }),
  metrics_retention_days: z.int().min(0).max(36_500).meta({
    description: 'Traffic figures older than this are deleted; 0 keeps daily ones for ever, hourly ones a year',
  }),
  geoip_country_url: downloadUrl.meta({
    description: 'A country or city database (.mmdb or .mmdb.gz), downloaded every week; GEOIP_COUNTRY_DB wins',
  }),
  geoip_asn_url: downloadUrl.meta({ description: 'The same for networks; GEOIP_ASN_DB wins' }),
  destination_metrics_enabled: z
    .boolean()
    .meta({ description: 'Counts where traffic goes, by the kernel’s connection table; needs nf_conntrack_acct=1' }),
  tunnel_page_enabled: z.boolean().meta({
    description:
      'A page for the people behind peers, at the address of each interface, reached through its tunnel alone',
  }),
  tunnel_page_port: z.int().min(1).max(65_535).meta({ description: 'TCP port of that page' }),
  tunnel_page_pause_minutes: z.int().min(0).max(1440).meta({
    description:
      'Minutes for which a peer without a profile may pause its filter on that page, each time at most; 0 for never',
  }),
  hints_two_places: z.boolean().meta({ description: 'Hints at keys that are used from two places by turns' }),
  hints_new_country: z
    .boolean()
    .meta({ description: 'Hints at peers that connect from a country they were not seen in' }),
  hints_tunnelling: z.boolean().meta({ description: 'Hints at DNS queries that look like a tunnel' }),
  hints_list_surge: z.boolean().meta({ description: 'Hints at block lists that block ten times as much as usual' }),
  session_timeout_minutes: z.int().min(5).max(10_080).meta({ description: 'A session unused for this long ends' }),
}

/** All settings of the service. */
export const Settings = z.object(members).meta({ id: 'Settings' })
export type Settings = z.infer<typeof Settings>

export const SettingsUpdate = z
  .strictObject(members)
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'SettingsUpdate' })
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

const endpointHost = {
  host: z.string(),
  source: z
    .enum(['setting', 'PUBLIC_ENDPOINT', 'PUBLIC_URL', 'request', 'host name', 'address'])
    .meta({ description: 'Where it was found; `request`: the host this request was sent to' }),
  reach: z
    .enum(['public', 'private', 'loopback'])
    .meta({ description: 'From where it is reached: from anywhere, from the same network, from this host only' }),
}

/** The host in the `Endpoint` line of device configurations, and what else this machine is known by. */
export const PublicEndpointState = z
  .object({
    ...endpointHost,
    candidates: z
      .array(z.object(endpointHost))
      .meta({ description: 'Names and addresses of this machine to choose from, the most useful first' }),
  })
  .meta({ id: 'PublicEndpoint' })
export type PublicEndpointState = z.infer<typeof PublicEndpointState>

/** Settings of a new installation. */
export const defaultSettings: Settings = {
  public_endpoint: '',
  default_dns: '',
  default_mtu: 1420,
  default_persistent_keepalive: 25,
  default_routing_mode: 'full_tunnel',
  sample_interval_seconds: 2,
  expiry_warning_days: 7,
  silent_peer_days: 90,
  connection_history_days: 90,
  connection_history_rows: 500_000,
  metrics_retention_days: 0,
  geoip_country_url: '',
  geoip_asn_url: '',
  destination_metrics_enabled: false,
  tunnel_page_enabled: false,
  tunnel_page_port: 80,
  tunnel_page_pause_minutes: 0,
  hints_two_places: true,
  hints_new_country: true,
  hints_tunnelling: true,
  hints_list_surge: true,
  session_timeout_minutes: 60,
}
