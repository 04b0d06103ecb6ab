import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import type { Mqtt } from './mqtt.ts'
import { MqttChange, MqttTest, MqttView } from './schema.ts'

/** Settings and state of MQTT. */
export function mqttRoutes(mqtt: Mqtt, changed: () => void, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/admin/api/mqtt',
        summary: 'Settings and state of MQTT',
        success: { status: 200, body: MqttView },
      },
      () => mqtt.view(),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/admin/api/mqtt',
        summary: 'Replace the settings of MQTT',
        description: 'Takes effect immediately. What is not published any more is removed from the broker.',
        body: MqttChange,
        success: { status: 200, body: MqttView },
      },
      async ({ caller, body, client }) => {
        await mqtt.change(body)
        changed()
        await securityLog.record({
          kind: 'rights_changed',
          ...eventOrigin(caller, client),
          target: 'commands by MQTT',
          detail: body.enabled && body.offers_controls ? 'on' : 'off',
        })
        return mqtt.view()
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/admin/api/mqtt/test',
        summary: 'Test the connection to a broker',
        description: 'With settings that need not be stored. Publishes nothing.',
        body: MqttChange,
        success: { status: 200, body: MqttTest },
      },
      ({ body }) => mqtt.test(body),
    ),
  ]
}
