import { settingKind, webAddress } from '@hearth/runtime'
import { z } from 'zod'
import { serviceNames, type ServiceName } from './known-services.ts'

const rule =
  'must be off, or a comma-separated list such as vpn=https://vpn.example.org,media=http://127.0.0.1:8103 of each service once'

/** A service that the settings name. */
export interface ConfiguredService {
  readonly name: ServiceName
  /** Address that browsers open. */
  readonly address: string
  /** Address that this service checks; the same unless the setting has a second one. */
  readonly checked: string
}

const serviceList = z.string().transform((text, context): readonly ConfiguredService[] => {
  if (text === 'off') return []
  const services = text.split(',').map(parseEntry)
  const known = services.filter((service) => service !== undefined)
  if (known.length === services.length && new Set(known.map(({ name }) => name)).size === known.length) return known
  context.addIssue(rule)
  return z.NEVER
})

/** Reads `name=address` or `name=address checked-address`. */
function parseEntry(entry: string): ConfiguredService | undefined {
  const [, word, addresses = ''] = /^(\w+)=(.+)$/.exec(entry.trim()) ?? []
  const name = serviceNames.find((known) => known === word)
  const [address = '', checked = address, ...rest] = addresses.split(/ +/)
  if (name === undefined || rest.length > 0) return undefined
  return [address, checked].every((one) => webAddress.safeParse(one).success) ? { name, address, checked } : undefined
}

/** The setting of the other services of an installation, for the schema of a service's settings. */
export const neighbourSettings = { HEARTH_SERVICES: serviceList.meta(settingKind('own form')).optional() }

/** The part of a service's configuration that its `neighbourSettings` say. */
export function neighbourConfig(settings: z.infer<z.ZodObject<typeof neighbourSettings>>) {
  return {
    /** Services of the installation; undefined to find those of this machine. */
    hearthServices: settings.HEARTH_SERVICES,
  }
}
