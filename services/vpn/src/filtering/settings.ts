import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../tables.ts'
import { invalidField } from '../problems.ts'
import { asciiName } from '../lists/domain-name.ts'
import type { Upstream } from '../dns/resolver-files.ts'
import { defaultDnsSettings, type DnsSettings, type DnsSettingsUpdate, DnsSettingValues } from './schema.ts'
import { addressBytes } from '../dns/address-bytes.ts'
import { parseUpstream } from '../dns/upstream/upstream-text.ts'

/** Stored settings with the end of a pause, milliseconds since the epoch, 0 for none. */
export type StoredDnsSettings = DnsSettingValues & { readonly pausedUntil: number }

export interface DnsSettingsDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  /** `DNS_UPSTREAMS`, checked; undefined when it is not set. */
  readonly fixedUpstreams: readonly string[] | undefined
  /** Resolves when the stored settings, of which these changed, are in force (true), or the resolver does not answer (false). */
  readonly publish: (names: readonly string[]) => Promise<boolean>
}

/** Other settings share the table. */
const prefix = 'dns.'

const Stored = z.object({ ...DnsSettingValues.shape, pausedUntil: z.int() })

/** Reads the stored settings of the resolver. */
export async function openDnsSettings(dependencies: DnsSettingsDependencies): Promise<DnsSettingsStore> {
  const rows = new Map(
    [...(await readSettingRows(dependencies.db))].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  )
  const stored = settingsOf(rows, Stored.shape, { ...defaultDnsSettings, pausedUntil: 0 })
  return new DnsSettingsStore(dependencies, stored, new Set(rows.keys()))
}

/** The resolver's settings. A stored change is in force for the next query, or once the resolver answers again (`inForce`). */
export class DnsSettingsStore {
  readonly #dependencies: DnsSettingsDependencies
  readonly #names: Set<string>
  #stored: StoredDnsSettings

  constructor(dependencies: DnsSettingsDependencies, stored: StoredDnsSettings, names: Set<string>) {
    this.#dependencies = dependencies
    this.#stored = stored
    this.#names = names
  }

  current(): StoredDnsSettings {
    return this.#stored
  }

  /** The servers in use. */
  upstreams(): readonly Upstream[] {
    return (this.#dependencies.fixedUpstreams ?? this.#stored.upstreams).map(parseUpstream)
  }

  shown(): DnsSettings {
    const { pausedUntil, ...values } = this.#stored
    return {
      ...values,
      blocking_paused_until: pausedUntil > this.#dependencies.clock.now() ? toIsoString(pausedUntil) : null,
      effective_upstreams: [...(this.#dependencies.fixedUpstreams ?? values.upstreams)],
    }
  }

  /** Returns true if the setting was ever stored. */
  isStored(name: keyof DnsSettingValues): boolean {
    return this.#names.has(name)
  }

  /** Throws a `Problem` that names the member which cannot be. */
  async update(changes: DnsSettingsUpdate): Promise<{ settings: DnsSettings; inForce: boolean }> {
    const { blocking_paused_until: until, ...values } = changes
    const given = Object.entries({ ...values, ...checkedTexts(values) }).filter(([, value]) => value !== undefined)
    const next: StoredDnsSettings = {
      ...this.#stored,
      ...(Object.fromEntries(given) as Partial<DnsSettingValues>),
      ...(until === undefined ? {} : { pausedUntil: until === null ? 0 : Date.parse(until) }),
    }
    if (next.block_mode === 'custom_ip' && next.custom_ipv4 === null && next.custom_ipv6 === null)
      throw invalidField('custom_ipv4', 'is needed with block_mode custom_ip, or custom_ipv6')
    const inForce = await this.#write(next, Object.keys(values))
    return { settings: this.shown(), inForce }
  }

  /** Blocks nothing for so many seconds; 0 blocks again. */
  pause(seconds: number): Promise<boolean> {
    const pausedUntil = seconds === 0 ? 0 : this.#dependencies.clock.now() + seconds * 1000
    return this.#write({ ...this.#stored, pausedUntil }, [])
  }

  /** Stores what differs and what was said, also when it is what it was before. */
  async #write(next: StoredDnsSettings, said: readonly string[]): Promise<boolean> {
    const changed = Object.entries(next).filter(
      ([name, value]) =>
        said.includes(name) || JSON.stringify(value) !== JSON.stringify(this.#stored[name as keyof StoredDnsSettings]),
    )
    await writeSettingRows(
      this.#dependencies.db,
      new Map(changed.map(([name, value]) => [`${prefix}${name}`, JSON.stringify(value)])),
    )
    for (const [name] of changed) this.#names.add(name)
    this.#stored = next
    return this.#dependencies.publish(changed.map(([name]) => name))
  }
}

/** A peer's label takes up to 63 characters, and a dot. */
const maxSuffix = 189

/** Texts in the form they are stored in. */
function checkedTexts(values: DnsSettingsUpdate): Partial<DnsSettingValues> {
  values.upstreams?.forEach((text, index) => checkUpstream(text, `upstreams.${index}`))
  const domains = (['private_answers_allowed', 'forwarded_zones'] as const).flatMap((member) => {
    const texts = values[member]
    return texts === undefined ? [] : [[member, texts.map((text, index) => checkedName(text, `${member}.${index}`))]]
  })
  const { peer_names_suffix: suffix, dns64_prefix: prefix } = values
  const suffixes = typeof suffix === 'string' ? { peer_names_suffix: checkedSuffix(suffix) } : {}
  const prefixes = typeof prefix === 'string' ? { dns64_prefix: checkedPrefix(prefix) } : {}
  return { ...(Object.fromEntries(domains) as Partial<DnsSettingValues>), ...suffixes, ...prefixes }
}

/** A network of 96 bits; its ninth byte is 0 in every network for translated addresses (RFC 6052 2.2). */
function checkedPrefix(text: string): string {
  const [address = '', length] = text.trim().toLowerCase().split('/')
  const bytes = addressBytes(address)
  if (length !== '96' || bytes?.length !== 16 || bytes[8] !== 0 || bytes.subarray(12).some(Boolean))
    throw invalidField('dns64_prefix', 'must be an IPv6 network with /96, such as 64:ff9b::/96')
  return `${address}/96`
}

/** A domain with room for the label of a peer. */
function checkedSuffix(text: string): string {
  const name = checkedName(text.trim().replace(/^\./, ''), 'peer_names_suffix')
  if (name.length > maxSuffix) throw invalidField('peer_names_suffix', `must be at most ${maxSuffix} characters long`)
  return name
}

function checkedName(text: string, path: string): string {
  const name = asciiName(text.replace(/^\*\./, ''))
  if (name === undefined) throw invalidField(path, 'must be a domain name')
  return name
}

/** Throws a `Problem` that names `path` when the text is no upstream server. */
export function checkUpstream(text: string, path: string): void {
  try {
    parseUpstream(text)
  } catch (error) {
    throw invalidField(path, error instanceof Error ? error.message : 'is no upstream server')
  }
}
