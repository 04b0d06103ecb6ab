import type { Kysely } from 'kysely'
import type { EnergyManager } from '../energy/energy.ts'
import { maxRequestedPowerW } from '../dispatch/schema.ts'
import { EnergyAction, targetWindow, type EnergyCommand } from '../energy/schema.ts'
import { invalid, Problem } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { energyNames } from './entities/energy-entities.ts'

/** Target and power of the next command, as they were set. */
interface Choice {
  /** Percent. */
  readonly target?: number
  /** Watts; 0 or nothing stands for the limit of the device. */
  readonly power?: number
}

/** Commands to the Energy Manager. */
export type EnergyCommands = Awaited<ReturnType<typeof openEnergyCommands>>

/** Caller of everything that comes by MQTT, as the journal names it. */
export const mqttCaller = 'MQTT'

/**
 * Reads targets and powers that were set. They are part of the next command: Home Assistant sets one number at a time, and the
 * Energy Manager takes action, target and power together.
 */
export async function openEnergyCommands(db: Kysely<Tables>, energy: Pick<EnergyManager, 'command' | 'running'>) {
  const choices = await readChoices(db)

  async function choose(deviceId: string, change: Choice): Promise<void> {
    choices.set(deviceId, Object.assign({}, choices.get(deviceId), change))
    await writeSetting(db, setting, Object.fromEntries(choices))
  }

  async function command(deviceId: string, action: EnergyAction, expectedOperationId?: string): Promise<string> {
    const { target, power } = choices.get(deviceId) ?? {}
    const needsTarget = action === 'charge' || action === 'discharge'
    const body: EnergyCommand = {
      action,
      ...(needsTarget && target !== undefined ? { target_soc_percent: target } : {}),
      ...(needsTarget && power !== undefined && power > 0 ? { max_power_w: power } : {}),
    }
    await energy.command(deviceId, body, { caller: mqttCaller, via: 'api', expectedOperationId })
    return action
  }

  /** Repeats the running action with its new target or power. One that ends meanwhile is not begun again. */
  async function repeat(deviceId: string): Promise<void> {
    const { action, mode, operationId } = energy.running(deviceId) ?? {}
    if (mode !== 'external' || (action !== 'charge' && action !== 'discharge')) return
    try {
      await command(deviceId, action, operationId)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'dispatch_operation_conflict') throw error
    }
  }

  return {
    isEnergy: (name: string): boolean =>
      name === energyNames.action || name === energyNames.target || name === energyNames.power,
    choice: (deviceId: string): Choice => choices.get(deviceId) ?? {},
    /** Carries a command out and returns the value it set; throws the problems of the API. */
    async run(deviceId: string, name: string, payload: string): Promise<string | number> {
      if (name === energyNames.action) {
        const action = EnergyAction.safeParse(payload)
        if (!action.success) throw invalid('action', `must be one of ${EnergyAction.options.join(', ')}`)
        return command(deviceId, action.data)
      }
      const isTarget = name === energyNames.target
      const { min: least, max: most } = isTarget ? targetWindow : { min: 0, max: maxRequestedPowerW }
      const value = /^\d{1,5}(?:\.\d{1,3})?$/.test(payload) ? Number(payload) : NaN
      if (!(value >= least && value <= most))
        throw invalid('value', `must be a number from ${least} to ${most}`, 'value_out_of_range')
      await choose(deviceId, isTarget ? { target: value } : { power: value })
      await repeat(deviceId)
      return value
    },
    forget: (deviceId: string): boolean => choices.delete(deviceId),
  }
}

const setting = 'mqtt_energy'

async function readChoices(db: Kysely<Tables>): Promise<Map<string, Choice>> {
  const stored = await readSetting(db, setting)
  return new Map(Object.entries((stored ?? {}) as Record<string, Choice>))
}

/** Deletes the target and power that were set for a device. */
export async function forgetChoice(db: Kysely<Tables>, deviceId: string): Promise<void> {
  const choices = await readChoices(db)
  if (choices.delete(deviceId)) await writeSetting(db, setting, Object.fromEntries(choices))
}
