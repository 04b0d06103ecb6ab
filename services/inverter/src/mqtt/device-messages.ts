import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { Device } from '../devices/device.ts'
import { dispatchRegisters } from '../dispatch/registers.ts'
import type { EnergyManager } from '../energy/energy.ts'
import type { Energy } from '../energy/schema.ts'
import type { Components, EntityContext } from './entities/component.ts'
import { energyEntities, energyNames } from './entities/energy-entities.ts'
import type { EnergyCommands } from './energy-commands.ts'
import { entitiesOf } from './entities/entity.ts'
import type { MqttSettings } from './schema.ts'
import type { Topics } from './entities/topics.ts'

/** Controls of metrics that one device offers at most: each is read in every round. */
const maxControls = 64

/** Limit of the power number for a device without limits, watts. */
const anyPowerW = 50_000

/** What is decided about a device before its messages are made. */
interface MessageDependencies {
  readonly catalog: Catalog
  readonly topics: Topics
  readonly settings: MqttSettings
  readonly isApproved: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  readonly energy: EnergyManager
  readonly energyCommands: EnergyCommands
}

/** Entities of one device and the objects whose values they show. */
export interface DeviceEntities {
  readonly components: Components
  readonly objects: readonly CatalogObject[]
  /** State of the Energy Manager; undefined while it takes no commands from here. */
  readonly energy: Energy | undefined
}

/** Returns the entities of a device: the published values, and the controls that are approved now. */
export async function deviceEntities(
  device: Pick<Device, 'id' | 'maxChargePowerW' | 'maxDischargePowerW'>,
  dependencies: MessageDependencies,
): Promise<DeviceEntities> {
  const { catalog, topics, settings, isApproved, isWriteAccessOn } = dependencies
  const context: EntityContext = { catalog, topics, deviceId: device.id }
  const mayWrite = settings.offers_controls && isWriteAccessOn()
  const approved = mayWrite ? [...catalog.allowlist.keys()].filter(isApproved).slice(0, maxControls) : []
  const names = new Set([...settings.metrics, ...approved])
  const objects = [...names].map((name) => catalog.byName(name)).filter((object) => object !== undefined)
  const components: Components = Object.assign(
    {},
    ...objects.map((object) => entitiesOf(object, approved.includes(object.name), context)),
  )
  const energy =
    mayWrite && dispatchRegisters.every(isApproved) ? await externalEnergy(device.id, dependencies) : undefined
  const readable = objects.filter(({ isAction }) => !isAction)
  if (energy === undefined) return { components, objects: readable, energy }
  const maxPowerW = Math.max(device.maxChargePowerW ?? 0, device.maxDischargePowerW ?? 0) || anyPowerW
  return { components: Object.assign(components, energyEntities(context, maxPowerW)), objects: readable, energy }
}

/** Undefined unless the mode of the Energy Manager is external and its state can be read. */
async function externalEnergy(id: string, { energy }: MessageDependencies): Promise<Energy | undefined> {
  const state = await energy.read(id).catch(() => undefined)
  return state?.mode === 'external' ? state : undefined
}

/** Returns the states of the Energy Manager by their names. */
export function energyStates(energy: Energy, commands: EnergyCommands): Record<string, string> {
  const { target, power } = commands.choice(energy.device_id)
  return {
    [energyNames.action]: energy.action ?? 'auto',
    [energyNames.target]: target === undefined ? 'None' : String(target),
    [energyNames.power]: String(power ?? 0),
    [energyNames.state]: energy.state,
  }
}

/** Returns the retained topics of a device beside its discovery message. */
export function retainedTopics(id: string, components: Components, topics: Topics): string[] {
  const named = Object.values(components).flatMap(({ state_topic: state, json_attributes_topic: attributes }) => [
    state,
    attributes,
  ])
  const found = named.filter((topic) => typeof topic === 'string')
  return [...new Set([topics.service, topics.device(id), ...found])]
}

/** Returns the command topics that the components offer. */
export const commandTopics = (components: Components): ReadonlySet<unknown> =>
  new Set(Object.values(components).map(({ command_topic: topic }) => topic))
