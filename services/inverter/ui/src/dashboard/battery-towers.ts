import { numberOf, type ValueMap } from '../values/live-value.ts'
import { moduleSerials } from '../values/metric-names.ts'

/** One battery tower as the card draws it. */
export type Tower = ReturnType<typeof towersOf>[number]

/** The towers that are there: the first always, the second when it has modules. */
export function towersOf(values: ValueMap) {
  const [first, second] = moduleSerials.map(
    (names) => names.filter((name) => typeof values[name]?.value === 'string' && values[name].value !== '').length,
  )
  const one = (name: string, modules: number, prefix: string) => ({
    name,
    modules,
    /** 0 to 1. */
    soc: numberOf(values, `${prefix}_soc`),
    temperature: numberOf(values, `${prefix}_temperature`),
  })
  const towers = [one('Tower 1', first ?? 0, 'battery')]
  return (second ?? 0) > 0 ? [...towers, one('Tower 2', second ?? 0, 'battery_placeholder_0')] : towers
}

/** Fill level of each module of a tower, from the top one down, 0 to 1. */
export function moduleFills(soc: number | undefined, modules: number): number[] {
  const count = Math.max(1, modules)
  const level = Math.min(1, Math.max(0, soc ?? 0)) * count
  return Array.from({ length: count }, (_, index) => Math.min(1, Math.max(0, level - (count - 1 - index))))
}
