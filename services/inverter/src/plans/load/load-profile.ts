import { quarterOf } from '../quarters/quarters.ts'

/** Mean power that a house used in a quarter hour, watts. */
export interface QuarterLoad {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly watts: number
}

/** Power of a house of which nothing is known, watts. */
const unknownHouse = 400

/** Values from which on those of one weekday, or of one kind of day, are enough alone. */
const enough = 4

/** What a house usually takes, by weekday and quarter hour of its time zone. */
export class LoadProfile {
  readonly #zone: string
  readonly #byWeekday = new Map<string, number[]>()
  readonly #byKind = new Map<string, number[]>()
  readonly #byTime = new Map<number, number[]>()
  readonly #mean: number

  constructor(loads: readonly QuarterLoad[], zone: string) {
    this.#zone = zone
    for (const { from, watts } of loads) {
      const { weekday, kind, quarter } = this.#placeOf(from)
      // The quarter hours around it say the same about a habit that is not on the minute.
      for (const near of [quarter - 1, quarter, quarter + 1]) {
        const time = (near + 96) % 96
        push(this.#byWeekday, `${weekday} ${time}`, watts)
        push(this.#byKind, `${kind} ${time}`, watts)
        push(this.#byTime, time, watts)
      }
    }
    this.#mean = loads.length === 0 ? unknownHouse : middleMean(loads.map(({ watts }) => watts))
  }

  /** The power that is to be expected in the quarter hour, watts. */
  at(ms: number): number {
    const { weekday, kind, quarter } = this.#placeOf(ms)
    const ownDay = this.#byWeekday.get(`${weekday} ${quarter}`) ?? []
    if (ownDay.length >= enough * 3) return middleMean(ownDay)
    const ownKind = this.#byKind.get(`${kind} ${quarter}`) ?? []
    if (ownKind.length >= enough * 3) return middleMean(ownKind)
    const any = this.#byTime.get(quarter) ?? []
    return any.length === 0 ? this.#mean : middleMean(any)
  }

  #placeOf(ms: number): { weekday: number; kind: 'work' | 'free'; quarter: number } {
    const { dayOfWeek, hour, minute } = Temporal.Instant.fromEpochMilliseconds(quarterOf(ms)).toZonedDateTimeISO(
      this.#zone,
    )
    return { weekday: dayOfWeek, kind: dayOfWeek > 5 ? 'free' : 'work', quarter: hour * 4 + Math.floor(minute / 15) }
  }
}

function push<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

/** Mean without the lowest and the highest tenth: one evening with guests changes no habit. */
function middleMean(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const cut = Math.floor(sorted.length / 10)
  const middle = sorted.slice(cut, sorted.length - cut)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}
