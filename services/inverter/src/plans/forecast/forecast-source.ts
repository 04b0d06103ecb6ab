import type { Stretch } from '../quarters/quarters.ts'

/** Panels of one direction. Tilt is 0 for flat and 90 for upright, azimuth 0 for south, -90 for east and 90 for west. */
export interface Plane {
  readonly tilt: number
  readonly azimuth: number
  /** Power at full sun, watts. */
  readonly peak_w: number
}

/** A place on the earth, degrees. */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** An answer or a file that has no forecast in the format it should have. */
export class UnreadableForecast extends Error {
  override readonly name = 'UnreadableForecast'
}

/** A service that forecasts the sun on panels of one direction. */
export interface ForecastSource {
  /** Address for panels; `until` is the end of the time that is wanted, milliseconds since the epoch. */
  url(place: Place, plane: Plane, until: number): string
  /** Reads the mean power of these panels, watts. */
  parse(text: string, plane: Plane): Stretch[]
}

/** Reads a document in JSON. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableForecast('the answer is not JSON')
  }
}
