import { awattar } from './awattar.ts'
import { entsoe } from './entsoe.ts'
import { nordPool } from './nord-pool.ts'
import { octopus } from './octopus.ts'
import type { PriceSource } from './price-source.ts'
import { tibber } from './tibber.ts'

/** The public sources of prices by the name that settings have. */
export const publicSources = { entsoe, awattar, tibber, octopus, 'nord-pool': nordPool } as const satisfies Readonly<
  Record<string, PriceSource>
>

/** Name of a public source. */
export type PublicSource = keyof typeof publicSources
