import type { AnswerCache, CacheLimits } from './answer-cache.ts'
import { addressBytes } from './address-bytes.ts'
import { privateAnswerDomains } from './private-answers.data.ts'
import { wireName } from './wire/wire-name.ts'
import type { Policy, PolicySettings } from './policy/policy.ts'
import type { BlockMode, ResolverSettings } from './resolver-files.ts'

/** Settings of the engine. Plain data: it goes from thread to thread as it is. */
export interface EngineSettings {
  readonly blockMode: BlockMode
  /** The 4 and 16 bytes blocked names lead to with `custom_ip`; undefined for no such address. */
  readonly customIpv4: Uint8Array | undefined
  readonly customIpv6: Uint8Array | undefined
  /** Seconds. */
  readonly blockTtl: number
  /** AD bits are requested and passed on. */
  readonly dnssec: boolean
  readonly blockPrivateAnswers: boolean
  /** Domains in wire form whose answers, and those of names below them, may be private. */
  readonly privateAnswersAllowed: readonly Uint8Array[]
  /** The 12 bytes of the network that IPv4 addresses are put into for names without IPv6 addresses (DNS64); undefined for none. */
  readonly dns64: Uint8Array | undefined
  readonly serveStale: boolean
  readonly prefetch: boolean
  readonly cache: CacheLimits
}

/** Dependencies of an engine. */
export interface EngineDependencies {
  readonly policy: Policy
  readonly cache: AnswerCache
  readonly settings: EngineSettings
  /** Fills bytes at random, for the case of letters; for tests. By default `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array) => void
}

/** Returns the engine's settings from `settings.json`. Invalid addresses and domains count as not given. */
export function engineSettings(settings: ResolverSettings): EngineSettings {
  const { customIpv4, customIpv6 } = settings
  return {
    blockMode: settings.blockMode,
    customIpv4: bytesOf(customIpv4, 4),
    customIpv6: bytesOf(customIpv6, 16),
    blockTtl: settings.blockTtl,
    dnssec: settings.dnssec,
    blockPrivateAnswers: settings.blockPrivateAnswers,
    privateAnswersAllowed: wireNames([
      ...privateAnswerDomains,
      ...settings.forwardedZones,
      ...settings.privateAnswersAllowed,
    ]),
    dns64: settings.dns64Prefix === null ? undefined : bytesOf(settings.dns64Prefix, 16)?.subarray(0, 12),
    serveStale: settings.serveStale,
    prefetch: settings.prefetch,
    cache: { minTtl: settings.cacheMinTtl, maxTtl: settings.cacheMaxTtl },
  }
}

/** Returns the policy's settings from `settings.json`. */
export const policySettings = (settings: ResolverSettings): PolicySettings => ({
  blockingEnabled: settings.blockingEnabled,
  pausedUntil: settings.pausedUntil,
  forwardedZones: wireNames(settings.forwardedZones),
})

const wireNames = (domains: readonly string[]): Uint8Array[] =>
  domains.map((domain) => wireName(domain.replace(/^\*\./, ''))).filter((name) => name !== undefined)

function bytesOf(address: string | null, length: number): Uint8Array | undefined {
  const bytes = address === null ? undefined : addressBytes(address)
  return bytes?.length === length ? bytes : undefined
}
