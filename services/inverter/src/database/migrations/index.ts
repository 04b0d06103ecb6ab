import type { Migrations } from '@hearth/database'
import * as initial from './0001-initial.ts'

/** All steps, oldest first. */
export const migrations: Migrations = {
  '0001-initial': initial,
}
