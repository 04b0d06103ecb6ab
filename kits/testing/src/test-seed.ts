import { randomInt } from 'node:crypto'

/** Seed of the random values of a test: that of the run, `TEST_SEED`; a new one where a test runs alone. */
export const testSeed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31))
