import { z } from 'zod'
import { plainText } from '../../envelope.ts'
import { limitMembers } from '../../limits/schema.ts'
import { expiry, PeerCreate } from '../../peers/schema.ts'
import { PeerQuotaSet } from '../../quotas/schema.ts'
import { SealedText } from '../secrets.ts'

const { shape } = PeerCreate

/** A peer of the file. Members that the service chooses stay as they are when they are left out. */
export const PeerEntry = z.strictObject({
  interface: shape.interface,
  ip: shape.ip,
  ipv6: shape.ipv6,
  public_key: shape.public_key,
  private_key: SealedText.optional(),
  preshared_key: z.union([z.boolean(), SealedText]).optional(),
  routing_mode: shape.routing_mode,
  allowed_ips: shape.allowed_ips.unwrap().default([]),
  networks: shape.networks.unwrap().default([]),
  persistent_keepalive: shape.persistent_keepalive,
  enabled: z.boolean().default(true),
  expires_at: expiry.default(null),
  tags: shape.tags.unwrap().default([]),
  client_isolation: z.boolean().default(false),
  limit_down: limitMembers.limit_down.default(null),
  limit_up: limitMembers.limit_up.default(null),
  quota: PeerQuotaSet.nullable().default(null),
  use_adblocker: z.boolean().default(true),
  blocklists: z.array(plainText(64).min(1)).max(32).nullable().default(null),
  dns_logging_enabled: z.boolean().default(true),
})
export type PeerEntry = z.infer<typeof PeerEntry>

/** What a peer has that says nothing else. */
export const peerDefaults: Partial<PeerEntry> = {
  allowed_ips: [],
  networks: [],
  enabled: true,
  expires_at: null,
  tags: [],
  client_isolation: false,
  limit_down: null,
  limit_up: null,
  quota: null,
  use_adblocker: true,
  blocklists: null,
  dns_logging_enabled: true,
}
