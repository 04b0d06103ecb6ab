import type { SharedPortView } from '../api.ts'

type Settings = SharedPortView['settings']

/** Values of the form. A number field that is empty holds text. */
export interface SharedPortValues extends Record<string, unknown> {
  enabled: boolean
  bind_address: string
  cache_seconds: number | string
  inverters: { device_id: string; port: number | string }[]
  /** `key` tells entries apart while they have no name. */
  clients: (Settings['clients'][number] & { key: string })[]
}

/** Returns the form of the stored settings. */
export const valuesOf = ({ settings }: Pick<SharedPortView, 'settings'>): SharedPortValues => ({
  ...settings,
  clients: settings.clients.map((client) => Object.assign({ key: client.name }, client)),
})

/** Returns the body that saves the form. */
export function settingsOf(values: SharedPortValues): Settings {
  return {
    enabled: values.enabled,
    bind_address: values.bind_address.trim(),
    cache_seconds: Number(values.cache_seconds),
    inverters: values.inverters.map(({ device_id, port }) => ({ device_id, port: Number(port) })),
    clients: values.clients.map(({ name, network, may_write }) => ({ name, network: network.trim(), may_write })),
  }
}

/** Port at which an inverter listens, and which other programs expect. */
const usualPort = 8899

/** Returns the first port from the usual one that no inverter of the form has. */
export function nextPort(inverters: SharedPortValues['inverters']): number {
  const used = new Set(inverters.map(({ port }) => Number(port)))
  let port = usualPort
  while (used.has(port)) port += 1
  return port
}
