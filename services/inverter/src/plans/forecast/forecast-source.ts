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

/** A service that forecasts the sun on panels of one direction. */
export interface ForecastSource {
  /** Address for panels. */
  url(place: Place, plane: Plane): string
  /** Reads the mean power of these panels, watts. */
  parse(text: string, plane: Plane): Stretch[]
}
