import type { Dispatch } from '../dispatch/schema.ts'
import { invalid, Problem } from '../problems.ts'
import { targetWindow, type EnergyCommand, type EnergyMode } from './schema.ts'

/** Facts that a command is checked against. */
export interface CommandCircumstances {
  /** Which door it came in by. */
  readonly door: 'api' | 'admin'
  readonly mode: EnergyMode
  readonly dispatch: Dispatch
  readonly isWriteAccessOn: boolean
  /** Registers the administrator did not approve. */
  readonly unapproved: readonly string[]
}

/** Throws the first thing that is in the way of a command, in a fixed order; what dispatch refuses comes after. */
export function checkCommand(command: EnergyCommand, circumstances: CommandCircumstances): void {
  const { door, mode, dispatch, isWriteAccessOn, unapproved } = circumstances
  if (dispatch.state === 'fault')
    throw new Problem('dispatch_store_unavailable', 'The dispatch record cannot be stored')
  if (mode === 'off') throw new Problem('energy_manager_off', 'The Energy Manager of this device is off')
  if (door === 'api' && mode === 'manual')
    throw new Problem(
      'energy_manager_not_external',
      'The mode is manual; switch it to external for commands by the API',
    )
  if (door === 'admin' && mode === 'external')
    throw new Problem('energy_manager_external', 'The mode is external; switch it to manual for commands by hand')
  if (!isWriteAccessOn) throw new Problem('energy_write_support_required', 'Write access is off; switch it on first')
  // Handing the device back is always possible: what was changed may be changed back.
  if (unapproved.length > 0 && command.action !== 'auto')
    throw new Problem('energy_action_unavailable', `Not approved for writing: ${unapproved.join(', ')}`)
  checkMembers(command)
}

function checkMembers({ action, target_soc_percent: target, max_power_w: power }: EnergyCommand): void {
  if (action === 'hold' || action === 'auto') {
    if (target !== undefined) throw invalid('target_soc_percent', `is not accepted for ${action}`)
    if (power !== undefined) throw invalid('max_power_w', `is not accepted for ${action}`)
    return
  }
  if (target === undefined) throw invalid('target_soc_percent', `is required for ${action}`)
  const { min, max } = targetWindow
  if (target < min || target > max)
    throw invalid('target_soc_percent', `must be from ${min} to ${max}`, 'value_out_of_range')
}
