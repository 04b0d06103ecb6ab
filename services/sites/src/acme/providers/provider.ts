import type { GuardedFetch, OutboundPolicy } from '@hearth/outbound'
import type { z } from 'zod'

/** A TXT record in a zone of a provider. */
export interface TxtRecord {
  readonly zone: string
  /** Full name without the dot at the end. */
  readonly name: string
  readonly value: string
}

/** Makes TXT records at a DNS provider. Every call may be repeated, and throws `ProviderFailed`. */
export interface DnsProvider {
  /** Values of one name that it keeps; any number when missing. */
  readonly maxValues?: number
  /** Finds the zone that holds a name. */
  findZone(name: string): Promise<string>
  /** Adds a value to those of the name; nothing happens when it is there. */
  addTxt(record: TxtRecord): Promise<void>
  /** Removes one value; nothing happens when it is not there. */
  removeTxt(record: TxtRecord): Promise<void>
}

/** Kind of a failure of a provider. */
export type ProviderFailure = 'wrong-zone' | 'wrong-credentials' | 'rate-limited' | 'away' | 'refused'

/** A provider did not do what it was asked. The message is for a person and holds no secret. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed'
  readonly failure: ProviderFailure
  readonly retryAfterMs: number | undefined

  constructor(
    failure: ProviderFailure,
    message: string,
    more: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message.slice(0, 500), { cause: more.cause })
    this.failure = failure
    this.retryAfterMs = more.retryAfterMs
  }
}

/** One setting of a kind of provider, as forms show it. All are texts. */
export interface ProviderField {
  readonly name: string
  readonly label: string
  /** Says what is expected. */
  readonly hint?: string
  readonly placeholder?: string
  readonly isSecret?: true
  /** Where the secrets are sent: with another one they have to be given again. */
  readonly isDestination?: true
  readonly isOptional?: true
  /** The values to choose from; any text without them. */
  readonly choices?: readonly string[]
}

/** What providers work with. */
export interface ProviderContext {
  readonly fetch: GuardedFetch
  readonly policy: OutboundPolicy
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Finds the zone of a name by asking resolvers; throws `ProviderFailed`. */
  readonly zoneOf: (name: string) => Promise<string>
  /** Runs one change of a key after the other. */
  readonly withLock: <T>(key: string, change: () => Promise<T>) => Promise<T>
}

/** A kind of provider: its settings, and how to open one. */
export interface ProviderKind {
  readonly kind: string
  readonly label: string
  readonly fields: readonly ProviderField[]
  /** Checks settings and opens a provider with them; throws a `ZodError` that names the wrong one. */
  open(settings: Readonly<Record<string, string>>, context: ProviderContext): DnsProvider
}

/** Describes a kind of provider whose settings have a schema. */
export function providerKind<Settings>(
  about: Omit<ProviderKind, 'open'>,
  schema: z.ZodType<Settings>,
  create: (settings: Settings, context: ProviderContext) => DnsProvider,
): ProviderKind {
  return { ...about, open: (settings, context) => create(schema.parse(settings), context) }
}
