import type { Parameters } from 'fast-check'

/**
 * Returns how often a property of a whole service is tried. On the build machine every run uses one seed, so that its result tells
 * of the change and not of the dice; anywhere else each run asks something new.
 */
export function propertyRuns<T>(numRuns: number, environment: NodeJS.ProcessEnv = process.env): Parameters<T> {
  return environment['CI'] === 'true' ? { numRuns, seed: 20_261_121 } : { numRuns }
}
