import { randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { isDnsNumberUsed } from './store.ts'

const drawNumber = (): number => randomInt(1, 2 ** 31 - 1)

/**
 * A number that stands for a new peer in the resolver and its log. Drawn, not counted: the number of a deleted peer still stands
 * in the query log. With ten thousand peers one draw in two hundred thousand hits a number in use, and is repeated.
 */
export async function freeDnsNumber(db: Kysely<Tables>, draw: () => number = drawNumber): Promise<number> {
  for (;;) {
    const number = draw()
    if (!(await isDnsNumberUsed(db, number))) return number
  }
}
