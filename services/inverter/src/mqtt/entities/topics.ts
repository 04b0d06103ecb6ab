/** The two settings that all topics follow from. */
export interface TopicSettings {
  readonly base_topic: string
  readonly discovery_prefix: string
}

/** Names of the topics of one installation. */
export type Topics = ReturnType<typeof createTopics>

/** Creates the names of topics; docs/reference/inverter-mqtt.md lists them. */
export function createTopics({ base_topic: base, discovery_prefix: prefix }: TopicSettings) {
  const of = (deviceId: string, name: string, end: string) => `${base}/${deviceId}/${name}/${end}`
  return {
    /** `online` while the service is connected; its last will is `offline`. */
    service: `${base}/status`,
    /** `online` while the inverter answers. */
    device: (deviceId: string) => `${base}/${deviceId}/status`,
    state: (deviceId: string, name: string) => of(deviceId, name, 'state'),
    command: (deviceId: string, name: string) => of(deviceId, name, 'set'),
    result: (deviceId: string, name: string) => of(deviceId, name, 'result'),
    /** Filter of all commands. */
    commands: `${base}/+/+/set`,
    discovery: (deviceId: string) => `${prefix}/device/${discoveryId(base)}/${discoveryId(deviceId)}/config`,
    /** Home Assistant's own birth and last will. */
    homeAssistant: `${prefix}/status`,
    /** Identifier of a device and, with a key, of one of its entities. */
    id: (deviceId: string, ...key: string[]) => [base, deviceId, ...key].join('/'),
    /** Device and name of a command's topic; undefined for another topic. */
    parseCommand(topic: string): { readonly deviceId: string; readonly name: string } | undefined {
      if (!topic.startsWith(`${base}/`)) return undefined
      const [deviceId = '', name = '', end, ...rest] = topic.slice(base.length + 1).split('/')
      return end === 'set' && rest.length === 0 ? { deviceId, name } : undefined
    },
  }
}

/** Home Assistant takes letters, digits, `_` and `-`; every other character and `_` itself become `_` and their code. */
const discoveryId = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
