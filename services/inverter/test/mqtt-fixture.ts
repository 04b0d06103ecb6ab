import { eventually } from '@hearth/testing'
import type { TestGateway } from './in-process.ts'
import type { Broker, Listener } from './mosquitto.ts'

interface View {
  readonly settings: Record<string, unknown>
  readonly status: Record<string, unknown> & { readonly state: string; readonly last_error: string | null }
}

/** Reads settings and state as the administrator sees them. */
export const viewMqtt = async (gateway: TestGateway): Promise<View> =>
  (await gateway.operate('GET', '/admin/api/mqtt')) as View

/** Returns the body that changes the stored settings, as a form sends it. */
export async function mqttChange(gateway: TestGateway, changes: Record<string, unknown>) {
  const { has_password: _password, has_client_key: _key, ...values } = (await viewMqtt(gateway)).settings
  return Object.assign(values, changes)
}

/** Changes the stored settings. */
export async function configureMqtt(gateway: TestGateway, changes: Record<string, unknown>): Promise<void> {
  await gateway.operate('PUT', '/admin/api/mqtt', await mqttChange(gateway, changes))
}

/** Settings that publish two values to a broker. */
export const publishing = (broker: Pick<Broker, 'url'>, changes: Record<string, unknown> = {}) => ({
  enabled: true,
  url: broker.url,
  interval_seconds: 5,
  metrics: ['battery_soc', 'grid_power'],
  ...changes,
})

/** Waits until the gateway has published to the broker. */
export const published = (listener: Listener, topic = 'hearth/main/battery_soc/state') =>
  eventually(
    () => listener.state(),
    (state) => state.has(topic),
    { what: topic, seconds: 60 },
  )

/** The result of a command, once there is one with this value of a member. */
export async function resultOf(listener: Listener, name: string, isGood: (result: CommandResult) => boolean) {
  const read = () => {
    const found = listener.messages.findLast(({ topic }) => topic === `hearth/main/${name}/result`)
    return found === undefined || found.text === '' ? undefined : (JSON.parse(found.text) as CommandResult)
  }
  const result = await eventually(read, (found) => found !== undefined && isGood(found), { what: `result of ${name}` })
  return result as CommandResult
}

/** The answer to a command. */
export interface CommandResult {
  readonly value: unknown
  readonly outcome: string
  readonly detail: string
}

/** The components that a device offers now. */
export const componentsOf = (listener: Listener): Record<string, { platform: string } & Record<string, unknown>> =>
  JSON.parse(listener.state().get('homeassistant/device/hearth/main/config') ?? '{"components":{}}').components
