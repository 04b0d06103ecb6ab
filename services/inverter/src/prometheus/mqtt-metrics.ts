import { Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { MqttStatus } from '../mqtt/schema.ts'

/** Adds the figures of MQTT. */
export function addMqttMetrics(registry: Registry, status: () => MqttStatus): Metric[] {
  const counter = (name: string, help: string, valueOf: (status: MqttStatus) => number) =>
    new Counter({
      name: `vendor_mqtt_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(valueOf(status()))
      },
    })
  return [
    new Gauge({
      name: 'vendor_mqtt_connected',
      help: '1 while connected to the MQTT broker; absent while MQTT is off',
      registers: [registry],
      collect() {
        // A gauge without labels begins with 0; removed, it is absent.
        this.remove()
        const { state } = status()
        if (state !== 'off') this.set(state === 'connected' ? 1 : 0)
      },
    }),
    counter('messages_published_total', 'Messages published to the MQTT broker', ({ published }) => published),
    counter('commands_total', 'Commands carried out for MQTT', (figures) => figures.commands_carried_out),
    counter('commands_refused_total', 'Commands by MQTT that were refused', (figures) => figures.commands_refused),
  ]
}
