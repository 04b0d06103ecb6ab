import { acmeDns } from './acme-dns.ts'
import { cloudflare } from './cloudflare.ts'
import { desec } from './desec.ts'
import { digitalOcean } from './digitalocean.ts'
import { hetzner } from './hetzner.ts'
import { ovh } from './ovh.ts'
import type { ProviderKind } from './provider.ts'
import { rfc2136 } from './rfc2136.ts'
import { route53 } from './route53.ts'
import { webhook } from './webhook.ts'

/** Every kind of DNS provider, in the order in which forms list them. */
export const providerKinds: readonly ProviderKind[] = [
  rfc2136,
  cloudflare,
  hetzner,
  desec,
  digitalOcean,
  ovh,
  route53,
  acmeDns,
  webhook,
]

/** Finds a kind by its name. */
export const findKind = (kind: string): ProviderKind | undefined => providerKinds.find((each) => each.kind === kind)
