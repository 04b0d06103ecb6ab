import type { Component, Components } from './component.ts'
import type { Topics } from './topics.ts'

/** An inverter as Home Assistant shows it. */
export interface DiscoveredDevice {
  readonly id: string
  readonly displayName: string
  readonly serial: string | null
  readonly firmware: string | null
  /** What it is, and its page; those of an inverter when they are missing. */
  readonly model?: string
  readonly path?: string
}

/** Facts about this installation. */
export interface Origin {
  readonly version: string
  /** Address of the web pages; undefined when the settings do not say it. */
  readonly publicUrl: string | undefined
}

interface Discovery {
  readonly device: DiscoveredDevice
  readonly components: Components
  /** Platforms of components that an earlier message had: Home Assistant removes one that has nothing but its platform. */
  readonly removed: Readonly<Record<string, string>>
}

/** Returns the discovery message of one inverter with all its entities, as JSON. */
export function discoveryMessage({ device, components, removed }: Discovery, topics: Topics, origin: Origin): string {
  const gone: Record<string, Component> = {}
  for (const [key, platform] of Object.entries(removed)) if (components[key] === undefined) gone[key] = { platform }
  return JSON.stringify({
    device: deviceBlock(device, topics, origin),
    origin: { name: 'Hearth Inverter', sw_version: origin.version },
    availability: [{ topic: topics.service }, { topic: topics.device(device.id) }],
    availability_mode: 'all',
    qos: 1,
    components: Object.assign(gone, components),
  })
}

function deviceBlock(device: DiscoveredDevice, topics: Topics, origin: Origin) {
  const { id, displayName, serial, firmware, model = 'Solar inverter' } = device
  const { path = `/inverters/${encodeURIComponent(id)}` } = device
  return {
    identifiers: [topics.id(id)],
    name: displayName === '' ? id : displayName,
    manufacturer: 'RCT Power',
    model,
    ...(serial === null || serial === '' ? {} : { serial_number: serial }),
    ...(firmware === null || firmware === '' ? {} : { sw_version: firmware }),
    ...(origin.publicUrl === undefined ? {} : { configuration_url: new URL(path, origin.publicUrl).href }),
  }
}

/** Returns the platform of each component by its key. */
export const platformsOf = (components: Components): Record<string, string> =>
  Object.fromEntries(Object.entries(components).map(([key, { platform }]) => [key, platform]))
