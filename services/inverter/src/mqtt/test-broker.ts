import type { Timers } from '@hearth/runtime'
import { openBroker, type BrokerAddress } from './broker/broker-connection.ts'
import { brokerError } from './broker/broker-error.ts'
import type { MqttChange, MqttTest } from './schema.ts'
import { createTopics } from './entities/topics.ts'

interface BrokerTest {
  readonly change: MqttChange
  readonly address: BrokerAddress
  readonly timers: Timers
}

/** Connects to a broker, tries the subscriptions, and disconnects. Nothing stays at the broker. */
export async function testBroker({ change, address, timers }: BrokerTest): Promise<MqttTest> {
  const topics = createTopics(change)
  const will = { topic: `${topics.service}/test`, payload: 'offline', isRetained: false, qos: 0 } as const
  try {
    const connection = await openBroker({ address, timers, will, onMessage: () => undefined })
    try {
      await connection.subscribe(topics.homeAssistant)
      if (change.offers_controls) await connection.subscribe(topics.commands)
    } finally {
      await connection.end()
    }
    const { host } = new URL(address.url)
    return { is_connected: true, detail: `Connected to ${host}` }
  } catch (error) {
    return { is_connected: false, detail: brokerError(error, address.url).message }
  }
}
