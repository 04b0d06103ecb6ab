import type { ProviderKind } from './provider.ts'
import { rfc2136 } from './rfc2136.ts'

/** Every kind of DNS provider, in the order in which forms list them. */
export const providerKinds: readonly ProviderKind[] = [rfc2136]

/** Finds a kind by its name. */
export const findKind = (kind: string): ProviderKind | undefined => providerKinds.find((each) => each.kind === kind)
