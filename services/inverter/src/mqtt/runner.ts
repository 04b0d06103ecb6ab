import type { Timers } from '@hearth/runtime'
import type { BrokerAddress, IncomingMessage } from './broker/broker-connection.ts'
import { BrokerSession } from './broker/broker-session.ts'
import { Commands } from './commands.ts'
import { openCounters } from './counter-values.ts'
import type { MqttDependencies } from './dependencies.ts'
import { openEnergyCommands } from './energy-commands.ts'
import { openEnergyTotals } from './plant/energy-totals.ts'
import { Publisher } from './publisher.ts'
import { openPublished } from './published.ts'
import type { MqttSettings, MqttStatus } from './schema.ts'
import { createTopics } from './entities/topics.ts'

/** Home Assistant announces its start; everything is published again within this time, milliseconds, so that it gets no flood. */
const birthSpread = 5000

/** Time for removing what is not wanted any more when MQTT is switched off or changed, milliseconds. */
const removalMs = 5000

/** Time for commands that are being carried out when MQTT is stopped, milliseconds. */
const commandMs = 3000

/** MQTT while it is switched on. */
export type Runner = Awaited<ReturnType<typeof startRunner>>

/** Connects to the broker and works until it is stopped. */
export async function startRunner(settings: MqttSettings, address: BrokerAddress, dependencies: MqttDependencies) {
  const { database, timers, log, catalog, devices, energy, isWriteAccessOn, writes } = dependencies
  const topics = createTopics(settings)
  const published = await openPublished(database.query)
  const counters = await openCounters(database.query, timers)
  const totals = await openEnergyTotals(database.query)
  const energyCommands = await openEnergyCommands(database.query, energy)
  const birth = createBirth(timers, () => publisher.publishAll())
  const session = new BrokerSession({
    address,
    timers,
    log,
    statusTopic: topics.service,
    subscriptions: [topics.homeAssistant, ...(settings.offers_controls ? [topics.commands] : [])],
    onConnected: () => publisher.publishAll(),
    onMessage: (message) => (message.topic === topics.homeAssistant ? birth.take(message) : commands.take(message)),
    onState: dependencies.changed,
  })
  const publisher = new Publisher(
    Object.assign({}, dependencies, { settings, topics, session, published, counters, totals, energyCommands }),
  )
  const commands = new Commands({
    catalog,
    topics,
    timers,
    log,
    isDevice: (id) => devices().some(({ deviceId }) => deviceId === id),
    isWriteAccessOn,
    isOffered: (id, name) => publisher.isOffered(id, name),
    writes,
    energy: energyCommands,
    send: (message) => session.send(message),
    onDone: () => publisher.wake(),
  })

  return {
    status: (): MqttStatus =>
      Object.assign(session.status(), {
        commands_carried_out: commands.carriedOut,
        commands_refused: commands.refused,
      }),
    session,
    /** Publishes what changed without waiting for the next round. */
    wake: () => publisher.wake(),
    async forget(deviceId: string): Promise<void> {
      await counters.forget(deviceId)
      energyCommands.forget(deviceId)
      publisher.wake()
    },
    /** Stops; with `next` other settings follow, and what they do not publish is removed from this broker. */
    async stop(next?: MqttSettings): Promise<void> {
      birth.close()
      await publisher.close()
      // A write that takes longer is finished, and the journal has its outcome.
      await Promise.race([commands.idle(), timers.delay(commandMs)])
      const isForgotten = next !== undefined && !isSameHome(settings, next)
      if (isForgotten && session.isConnected)
        await Promise.race([publisher.removeUnwanted(() => false).catch(() => undefined), timers.delay(removalMs)])
      await session.close({ isForgotten })
    },
  }
}

/** True when the messages stay where they are: same broker, same topics. */
const isSameHome = (one: MqttSettings, other: MqttSettings): boolean =>
  other.enabled &&
  one.url === other.url &&
  one.base_topic === other.base_topic &&
  one.discovery_prefix === other.discovery_prefix

/** Creates the answer to Home Assistant's start: everything is published again, once for several announcements. */
function createBirth(timers: Timers, publishAll: () => void) {
  let cancel: (() => void) | undefined
  return {
    take({ isRetained, payload }: IncomingMessage): void {
      // A retained one is of an earlier start: this connection has published everything anyway.
      if (isRetained || payload.toString() !== 'online') return
      cancel ??= timers.after(Math.random() * birthSpread, () => {
        cancel = undefined
        publishAll()
      })
    },
    close: () => cancel?.(),
  }
}
