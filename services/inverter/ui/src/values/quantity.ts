/** A formatted number: digits and unit separately, so that they can be styled differently. */
export interface Quantity {
  digits: string
  unit: string
}

const absent: Quantity = { digits: '–', unit: '' }

/** Watts without their sign: `85 W`, `1.24 kW`, `12.4 kW`. */
export const power = (watts: number | undefined) => inThousands(watts, 'W', (size) => (size < 9995 ? 2 : 1))

/** Watt-hours without their sign: `850 Wh`, `12.4 kWh`. */
export const energy = (wattHours: number | undefined) => inThousands(wattHours, 'Wh', (size) => (size < 99_950 ? 1 : 0))

function inThousands(value: number | undefined, unit: string, places: (size: number) => number): Quantity {
  if (value === undefined) return absent
  const size = Math.abs(value)
  if (Math.round(size) < 1000) return { digits: String(Math.round(size)), unit }
  return { digits: (size / 1000).toFixed(places(size)), unit: `k${unit}` }
}

/** A share from 0 to 1 in percent. */
export function percent(ratio: number | undefined): Quantity {
  return ratio === undefined ? absent : { digits: String(Math.round(ratio * 100)), unit: '%' }
}

/** A measured number with so many decimal places. */
export function measure(value: number | undefined, unit: string, places = 0): Quantity {
  return value === undefined ? absent : { digits: value.toFixed(places), unit }
}

/** Digits and unit as one text. */
export function spell({ digits, unit }: Quantity): string {
  return unit === '' ? digits : `${digits} ${unit}`
}

/** Any value of the API with its unit: a ratio as percent, numbers with the digits that mean something. */
export function formatValue(value: unknown, unit: string | null): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  if (typeof value !== 'number') return value === null || value === undefined ? '–' : JSON.stringify(value)
  if (unit === 'ratio') return `${trim(value * 100)} %`
  return unit === null ? trim(value) : `${trim(value)} ${unit}`
}

function trim(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 0.001 || size >= 1e12)) return value.toPrecision(4)
  if (Number.isInteger(value)) return String(value)
  return String(Number(value.toFixed(size >= 100 ? 1 : 3)))
}

/** Formats an identifier of the device, such as `calibration_high`, as readable text. */
export function humanize(word: string): string {
  const text = word.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
