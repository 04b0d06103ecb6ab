import { EnergyAction, Energy, targetWindow } from '../../energy/schema.ts'
import type { Components, EntityContext } from './component.ts'

/** Names of the Energy Manager in topics; the catalog has none of them. */
export const energyNames = {
  action: 'energy_action',
  target: 'energy_target_soc',
  power: 'energy_max_power',
  state: 'energy_state',
} as const

/** Returns the entities of the Energy Manager. `maxPowerW` is the larger limit of the device. */
export function energyEntities({ topics, deviceId }: EntityContext, maxPowerW: number): Components {
  const shown = (name: string) => ({
    unique_id: topics.id(deviceId, name),
    state_topic: topics.state(deviceId, name),
  })
  const set = (name: string) => ({
    ...shown(name),
    command_topic: topics.command(deviceId, name),
    json_attributes_topic: topics.result(deviceId, name),
  })
  return {
    [energyNames.action]: {
      platform: 'select',
      ...set(energyNames.action),
      name: 'Battery control',
      options: [...EnergyAction.options],
    },
    [energyNames.target]: {
      platform: 'number',
      ...set(energyNames.target),
      name: 'Battery control target',
      unit_of_measurement: '%',
      min: targetWindow.min,
      max: targetWindow.max,
      step: 1,
      mode: 'box',
    },
    [energyNames.power]: {
      platform: 'number',
      ...set(energyNames.power),
      name: 'Battery control maximum power',
      device_class: 'power',
      unit_of_measurement: 'W',
      // 0 stands for the limit of the device.
      min: 0,
      max: maxPowerW,
      step: 1,
      mode: 'box',
    },
    [energyNames.state]: {
      platform: 'sensor',
      ...shown(energyNames.state),
      name: 'Battery control state',
      device_class: 'enum',
      options: [...Energy.shape.state.options],
    },
  }
}
