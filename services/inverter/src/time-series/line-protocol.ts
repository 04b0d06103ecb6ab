import type { MetricValue } from '../metrics/schema.ts'

/** Precision of the times of points. */
export type Precision = 's' | 'ms'

interface LineOptions {
  readonly measurement: string
  readonly deviceId: string
  readonly precision: Precision
}

/**
 * Writes values in the line protocol of InfluxDB: one line for each time at which values were read, oldest first. Numbers are
 * floats, so that a field never changes its type; structures and texts without characters are left out.
 */
export function linesOf(values: readonly MetricValue[], { measurement, deviceId, precision }: LineOptions): string[] {
  const key = `${escapeName(measurement)},device=${escapeName(deviceId)}`
  const byTime = Map.groupBy(values, ({ timestamp }) => timeOf(timestamp, precision))
  return [...byTime]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([time, read]) => {
      const fields = read.flatMap(({ name, value }) => {
        const text = fieldOf(value)
        return text === undefined ? [] : [`${escapeName(name)}=${text}`]
      })
      return fields.length === 0 ? [] : [`${key} ${fields.join(',')} ${time}`]
    })
}

/** Returns a time as a whole number of the precision. */
export const timeOf = (timestamp: string, precision: Precision): number =>
  precision === 's' ? Math.floor(Date.parse(timestamp) / 1000) : Date.parse(timestamp)

function fieldOf(value: MetricValue['value']): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : undefined
  if (typeof value !== 'string' || value === '') return undefined
  const text = value.replaceAll(/\p{C}/gu, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${text}"`
}

/** Seven digits are all a 32-bit float holds; whole numbers keep all of theirs. */
const numberText = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toPrecision(7)))

/** Escapes what separates the parts of a line; a backslash before a separator cannot be written, so it is left out. */
const escapeName = (text: string): string =>
  text
    .replaceAll(/\p{C}/gu, ' ')
    .replaceAll('\\', '')
    .replaceAll(/[,= ]/g, (character) => `\\${character}`)
