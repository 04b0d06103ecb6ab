import { directionOf } from './next-setpoint.ts'
import type { Dispatch } from './schema.ts'

/** Difference between commanded and measured power that is normal: watts, and a share of the commanded power. */
const band = { watts: 200, share: 0.2 } as const

/** Rounds of the control loop in a row after which a difference is reported. */
const enoughRounds = 2

type View = Pick<Dispatch, 'measured_power_w' | 'measured_direction' | 'measured_at' | 'deviation'>

/** The view of a dispatch without a measurement. */
export const unmeasured: View = { measured_power_w: null, measured_direction: null, measured_at: null, deviation: null }

/** Compares the power of the battery with the commanded one, round by round. Powers are watts, discharge positive. */
export class DeviationMonitor {
  #measured: { watts: number; at: number } | undefined
  #commandedW = 0
  #rounds = 0
  /** Time when the difference was first seen; milliseconds since the epoch. */
  #since = 0

  /** Notes one round. Returns whether the deviation began or ended with it. */
  note({ commandedW, measuredW, now }: { commandedW: number; measuredW: number; now: number }): boolean {
    const before = this.#isDeviating
    const isOff = Math.abs(measuredW - commandedW) > bandFor(commandedW)
    if (isOff && this.#rounds === 0) this.#since = now
    this.#rounds = isOff ? this.#rounds + 1 : 0
    this.#measured = { watts: measuredW, at: now }
    this.#commandedW = commandedW
    return this.#isDeviating !== before
  }

  view(): View {
    if (this.#measured === undefined) return unmeasured
    const { watts, at } = this.#measured
    return {
      measured_power_w: Math.abs(watts),
      measured_direction: directionOf(watts),
      measured_at: new Date(at).toISOString(),
      deviation: this.#isDeviating
        ? {
            since: new Date(this.#since).toISOString(),
            band_w: Math.round(bandFor(this.#commandedW)),
            detail: explain(this.#commandedW, watts),
          }
        : null,
    }
  }

  get #isDeviating(): boolean {
    return this.#rounds >= enoughRounds
  }
}

const bandFor = (commandedW: number): number => Math.max(band.watts, band.share * Math.abs(commandedW))

function explain(commandedW: number, measuredW: number): string {
  const target = commandedW === 0 ? 'to rest' : `to ${inWords(commandedW)}`
  const does = Math.round(measuredW) === 0 ? 'rests' : inWords(measuredW).replace(/^(\w+)/, '$1s')
  const wrong =
    commandedW * measuredW < 0
      ? 'The recorded sign of the battery power or the code of external control may be wrong, or another program commands the inverter'
      : Math.abs(measuredW) < Math.abs(commandedW)
        ? 'The code of external control may be wrong, another program may command the inverter, or the battery limits its power because it is almost full, almost empty, cold, hot or calibrating'
        : 'Another program may command the inverter, or the code of external control may be wrong'
  return `The battery was commanded ${target}, but ${does}. ${wrong}.`
}

const inWords = (watts: number): string =>
  `${watts < 0 ? 'charge' : 'discharge'} with ${Math.round(Math.abs(watts)).toLocaleString('en')} W`
