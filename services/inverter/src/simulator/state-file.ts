import { existsSync, readFileSync } from 'node:fs'
import { OperatorError, writeFileAtomic, type Log, type Timers } from '@hearth/runtime'
import { z } from 'zod'
import type { SimulatedInverter } from './inverter.ts'

/** Interval at which changes are looked for, milliseconds. */
const checkInterval = 1000

const State = z.object({
  battery_soc: z.number().min(0).max(1),
  /** Settings that were written, by metric name, in the units of the wire. */
  registers: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
})

/**
 * Takes registers and battery from the file when there is one, and keeps it up to date. Returns what writes it a last time.
 * Throws an `OperatorError` when the file is not of this form.
 */
export async function keepState(
  inverter: SimulatedInverter,
  { file, timers, log }: { file: string; timers: Timers; log: Log },
): Promise<() => Promise<void>> {
  if (existsSync(file)) load(inverter, file)
  let written = ''
  let cancel = () => undefined as void
  const save = async () => {
    const state = { battery_soc: Number(inverter.plant.soc.toFixed(4)), registers: inverter.registers.snapshot() }
    const text = `${JSON.stringify(state, null, 2)}\n`
    if (text === written) return
    await writeFileAtomic(file, text)
    written = text
  }
  const saveAgain = async () => {
    try {
      await save()
    } catch (error) {
      log.error({ err: error }, `cannot write ${file}`)
    }
    cancel = timers.after(checkInterval, () => void saveAgain())
  }
  await save()
  cancel = timers.after(checkInterval, () => void saveAgain())
  return async () => {
    cancel()
    await save()
  }
}

function load(inverter: SimulatedInverter, file: string): void {
  try {
    const state = State.parse(JSON.parse(readFileSync(file, 'utf8')))
    inverter.registers.restore(state.registers)
    inverter.setSoc(state.battery_soc)
  } catch (error) {
    throw new OperatorError(`--state: ${file} is not a state of a simulated inverter`, { cause: error })
  }
}
