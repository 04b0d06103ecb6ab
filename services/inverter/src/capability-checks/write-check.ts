import type { CatalogObject } from '../catalog/catalog.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import type { DeviceReader } from '../metrics/device-reader.ts'
import { Problem } from '../problems.ts'
import type { PendingRestores } from './pending-restores.ts'
import type { CheckFinding } from './schema.ts'

/** Register that is written: it has no effect unless an external program controls the battery. */
export const checkedRegister = 'power_mng_soc_target_set'

/** Registers whose widths are seen by reading them, and the one that says who controls the battery. */
const strategy = 'power_mng_soc_strategy'
const gridCharge = 'power_mng_use_grid_power_enable'

export interface WriteCheckDependencies {
  readonly deviceId: string
  readonly serial: string | null
  readonly caller: string
  readonly now: number
  readonly objectOf: (name: string) => CatalogObject
  readonly reader: DeviceReader
  readonly writes: MetricWrites
  readonly restores: PendingRestores
}

/**
 * Writes the target of the external control one percent away from where it is, reads it back, writes the old value and reads
 * that back, all through the gate of any write. What has to be put back is stored before.
 */
export async function checkWriting(dependencies: WriteCheckDependencies): Promise<CheckFinding> {
  const { objectOf, reader } = dependencies
  const read = (name: string) => reader.readDirect(objectOf(name), 'normal')
  const control = await read(strategy)
  const label = objectOf(strategy).enumLabels?.get(Number(control.value))
  if (label === 'external')
    throw new Problem(
      'conflict',
      'The battery is under external control at present, so the target has an effect; end that first',
    )
  const before = Number((await read(checkedRegister)).value)
  const unit = unitOf(before)
  const steps = [`Read ${checkedRegister}: ${rounded(before)}`]
  if (unit === undefined)
    return {
      outcome: 'inconclusive',
      steps,
      detail:
        before === 0 || before === 1
          ? `${before} may be a share or a percentage, so nothing was written. Set a target in between first, such as 50 %.`
          : `${before} is no share and no percentage, so nothing was written.`,
      evidence: {},
    }
  const evidence = {
    soc_target_unit: unit,
    enum_byte_width: control.payload.length,
    bool_byte_width: (await read(gridCharge)).payload.length,
  }
  return writeAndRestore(before, { steps, evidence, unit }, dependencies)
}

interface Begun {
  readonly steps: string[]
  readonly evidence: CheckFinding['evidence']
  readonly unit: 'ratio' | 'percent'
}

async function writeAndRestore(
  before: number,
  begun: Begun,
  dependencies: WriteCheckDependencies,
): Promise<CheckFinding> {
  const { deviceId, serial, now, caller, writes, restores } = dependencies
  const { steps, evidence, unit } = begun
  const step = unit === 'ratio' ? 0.01 : 1
  const test = rounded(before <= 50 * step ? before + step : before - step)
  const write = (value: number) =>
    writes.write(deviceId, { name: checkedRegister, value, caller, cause: 'admin' }).catch((error: unknown) => {
      if (error instanceof Problem) return error
      // Nobody knows what it did.
      restores.retry(deviceId)
      throw error
    })
  await restores.add({
    device_id: deviceId,
    serial,
    metric: checkedRegister,
    old_value: before,
    test_value: test,
    begun_at: now,
  })
  const taken = await write(test)
  steps.push(taken instanceof Problem ? `Wrote ${test}: ${taken.message}` : `Wrote ${test} and read it back`)
  if (taken instanceof Problem && taken.code !== 'write_outcome_unknown') {
    // Refused, or no byte left.
    await restores.forget(deviceId)
    throw taken
  }
  const restored = await write(before)
  if (restored instanceof Problem) restores.retry(deviceId)
  else await restores.forget(deviceId)
  steps.push(
    restored instanceof Problem
      ? `Wrote ${rounded(before)} again: ${restored.message}`
      : `Wrote ${rounded(before)} again and read it back`,
  )
  if (restored instanceof Problem)
    return {
      outcome: 'failed',
      steps,
      detail: `The old value is not back yet; it is tried again until it is.`,
      evidence: {},
    }
  return taken instanceof Problem
    ? {
        outcome: 'failed',
        steps,
        detail: 'The inverter does not take writes in this form. The old value is there.',
        evidence,
      }
    : {
        outcome: 'found',
        steps,
        detail:
          'The inverter takes writes, and the old value is back. The code of external control is not part of the check; it is 2 on known firmware.',
        evidence: { ...evidence, write_frame_layout_verified: true },
      }
}

/** A value without the digits that a 32-bit float adds. */
const rounded = (value: number): number => Number(value.toPrecision(6))

/** Unit that a target is in; undefined when it can be neither, or both: 0 and 1 are 0 % and 1 % too. */
function unitOf(value: number): 'ratio' | 'percent' | undefined {
  if (value > 0 && value < 1) return 'ratio'
  return value > 1 && value <= 100 ? 'percent' : undefined
}
