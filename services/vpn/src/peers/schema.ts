import { IsoTime } from '@hearth/runtime'
import { z } from 'zod'
import { idText, Timestamp, pageQuery, plainText, splitList, wholeNumber } from '../envelope.ts'
import { limitMembers, settableLimits } from '../limits/schema.ts'
import { PeerQuota } from '../quotas/schema.ts'
import { areDistinct, maxTags } from './tags.ts'

/** Control, format, private-use and line-separating characters have no place in a name that ends up in files and pages. */
export const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u

/** Characters of a peer's name, at most. */
export const maxNameLength = 64

/** Name of the device: 1 to 64 visible characters, unique in the service regardless of case. */
export const PeerName = z
  .string()
  .transform((name) => name.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(maxNameLength)
      .refine((name) => !invisible.test(name), 'must not contain control or invisible characters'),
  )

/** A tag of peers: 1 to 32 visible characters, the same regardless of case. */
export const Tag = z
  .string()
  .transform((tag) => tag.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(32)
      .refine((tag) => !invisible.test(tag), 'must not contain control or invisible characters'),
  )

/** Networks that a device sends through the tunnel. */
export const RoutingMode = z.enum(['full_tunnel', 'split_tunnel', 'isolated', 'custom']).meta({
  description:
    'What the device sends through the tunnel: everything; the VPN network and `allowed_ips`; the VPN network alone; `allowed_ips` alone',
})
export type RoutingMode = z.infer<typeof RoutingMode>

export const PeerStatus = z.enum(['active', 'inactive', 'disabled'])
export type PeerStatus = z.infer<typeof PeerStatus>

/** A network a device may route into the tunnel. It shapes the device's file only, never what the server accepts. */
const network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'must be an address or a network in CIDR form',
})

/** Networks as an array or a comma-separated string, at most 64. */
const allowedIps = z
  .union([z.array(network).max(64), z.string().max(4096).transform(splitList).pipe(z.array(network).max(64))])
  .meta({ description: 'Networks for split_tunnel and custom, an array or a comma-separated string' })

/** Networks behind a peer, at most. */
const maxNetworks = 32

/** Networks behind a peer in either form; each is checked after that, so that an error names the one it is about. */
const networksBehind = z
  .union([
    z.array(z.string().max(64)).max(maxNetworks),
    z
      .string()
      .max(64 * maxNetworks)
      .transform(splitList),
  ])
  .pipe(z.array(network).max(maxNetworks))

const keepalive = z.int().min(0).max(65_535)
/** A WireGuard public key. */
export const PublicKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'must be a WireGuard public key in base64')
/** When a peer stops working. */
export const expiry = IsoTime.nullable().meta({ description: 'When the peer stops working; null for never' })

/** A peer as the API shows it. */
export const Peer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    interface: z.string(),
    ip: z.string(),
    ipv6: z.string().nullable(),
    routing_mode: RoutingMode,
    allowed_ips: z.array(z.string()),
    persistent_keepalive: keepalive,
    enabled: z.boolean(),
    status: PeerStatus.meta({
      description: 'disabled or expired; active when a handshake is younger than 180 s; else inactive',
    }),
    connected: z.boolean(),
    last_handshake: Timestamp.nullable(),
    transfer_tx: wholeNumber.meta({ description: 'Bytes sent to the peer, cumulative' }),
    transfer_rx: wholeNumber.meta({ description: 'Bytes received from the peer, cumulative' }),
    endpoint: z.string().nullable().meta({ description: 'Where the peer connects from; administrators only' }),
    public_key: z.string(),
    has_private_key: z.boolean().meta({ description: 'False when the key was made on the device' }),
    has_preshared_key: z.boolean(),
    client_isolation: z.boolean().meta({ description: 'May reach neither other peers nor this host, DNS excepted' }),
    use_adblocker: z.boolean().meta({ description: 'Names are filtered for it' }),
    blocklist_ids: z.array(z.string()).nullable().meta({ description: 'The lists that hold for it; null for all' }),
    dns_logging_enabled: z.boolean().meta({ description: 'What it looks up goes into the query log' }),
    ...limitMembers,
    quota: PeerQuota.nullable().meta({ description: 'Set at /api/peers/{id}/quota' }),
    networks: z
      .array(z.string())
      .meta({ description: 'Networks behind the device, which the server and other peers reach through it' }),
    needs_configuration: z.boolean().meta({
      description:
        'Since it was given its configuration, networks behind other peers came or went that stand in it (split_tunnel), or its interface moved to another endpoint at which it has not connected',
    }),
    needs_standby_configuration: z.boolean().meta({
      description:
        'The standby of its interface is another one, or has another endpoint, than in the configuration for it that the peer was given last, or the peer was given none',
    }),
    key_rotation: z
      .object({
        public_key: z.string(),
        has_private_key: z.boolean().meta({ description: 'False when the key was made on the device' }),
        old_key_ends_at: Timestamp.meta({ description: 'When the old key stops at the latest' }),
      })
      .nullable()
      .meta({ description: 'A new key that replaces the present one as soon as the device uses it; null for none' }),
    tags: z.array(z.string()),
    expires_at: Timestamp.nullable(),
    expired: z.boolean(),
    expires_soon: z.boolean().meta({ description: 'Expires within `expiry_warning_days`, and may connect until then' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Peer' })
export type Peer = z.infer<typeof Peer>

const settable = {
  ip: z.ipv4().optional().meta({ description: 'Address without prefix; chosen by the service when left out' }),
  ipv6: z.ipv6().nullable().optional(),
  routing_mode: RoutingMode.optional(),
  allowed_ips: allowedIps.optional(),
  networks: networksBehind.optional().meta({
    description:
      'Networks behind the device, at most 32, an array or a comma-separated string; they replace those it has. The server and peers with full_tunnel or split_tunnel reach them through it. They belong to this peer alone',
  }),
  allow_host_overlap: z.boolean().optional().meta({
    description: 'Take networks behind the device although the host of its interface reaches them over another device',
  }),
  persistent_keepalive: keepalive.optional().meta({ description: 'Seconds; 0 is off' }),
  enabled: z.boolean().optional(),
  tags: z
    .array(Tag)
    .max(maxTags)
    .refine(areDistinct, 'must not contain a tag twice, upper and lower case alike')
    .optional()
    .meta({ description: 'Words to find peers by; they replace those the peer has' }),
  expires_at: expiry.optional(),
  client_isolation: z.boolean().optional(),
  ...settableLimits,
  use_adblocker: z.boolean().optional().meta({ description: 'Filter names for this peer (default)' }),
  blocklist_ids: z
    .array(idText)
    .max(32)
    .nullable()
    .optional()
    .meta({ description: 'Ids of the lists that hold for it; null, the default, for all, [] for none' }),
  dns_logging_enabled: z.boolean().optional().meta({ description: 'Log what it looks up (default)' }),
  public_key: PublicKey.optional().meta({
    description: 'A key made on the device; the service then holds no private key',
  }),
  use_preshared_key: z
    .boolean()
    .optional()
    .meta({ description: 'A preshared key for this peer (default); false removes it' }),
}

/** A peer to create. */
export const PeerCreate = z
  .strictObject({ name: PeerName, interface: plainText(64).min(1), ...settable })
  .meta({ id: 'PeerCreate' })
export type PeerCreate = z.infer<typeof PeerCreate>

/** A change of a peer: members that are left out stay. */
export const PeerUpdate = z
  .strictObject({
    name: PeerName.optional(),
    interface: z.string().optional().meta({ description: 'A peer cannot move; its present interface is accepted' }),
    ...settable,
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'PeerUpdate' })
export type PeerUpdate = z.infer<typeof PeerUpdate>

/** Path of one peer. */
export const PeerParams = z.object({ id: idText })

/** Which of the configurations of a peer is wanted. */
export const ConfigurationQuery = z.strictObject({
  standby: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({ description: 'The one for the standby of the interface' }),
})

export const PeerSort = z.enum(['created_at', 'name', 'ip', 'last_handshake', 'transfer_rx', 'transfer_tx'])

export const PeerListQuery = z.strictObject({
  ...pageQuery(50),
  interface: plainText(64).optional(),
  status: z
    .enum(['active', 'inactive', 'disabled', 'connected'])
    .optional()
    .meta({ description: 'connected is another word for active' }),
  tag: Tag.optional().meta({ description: 'Only peers with this tag, regardless of case' }),
  expires_soon: z
    .enum(['true'])
    .optional()
    .meta({ description: 'Only peers that expire within the setting `expiry_warning_days`' }),
  needs_configuration: z
    .enum(['true'])
    .optional()
    .meta({ description: 'Only peers that need their configuration again, or that for the standby' }),
  silent_days: z.coerce.number().int().min(1).max(3650).optional().meta({
    description: 'Only peers without a handshake for so many days; one that never connected counts from its creation',
  }),
  search: plainText(128).optional().meta({ description: 'Part of a name or address, or the start of a public key' }),
  sort: PeerSort.default('created_at'),
  order: z.enum(['asc', 'desc']).default('asc'),
})
export type PeerListQuery = z.infer<typeof PeerListQuery>

/** Every tag that peers have. */
export const PeerTags = z
  .array(z.object({ tag: z.string(), peers: wholeNumber.meta({ description: 'Number of peers with it' }) }))
  .meta({ id: 'PeerTags' })

/** The peer list's own envelope: the counts stand beside the array inside `data`. */
export const PeerPage = z
  .object({ peers: z.array(Peer), total: wholeNumber, limit: wholeNumber, offset: wholeNumber })
  .meta({ id: 'PeerPage' })

export const PeerDeleted = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'PeerDeleted' })
