import { checkProgram } from '@hearth/runtime'
import type { Config } from './config.ts'

/** Checks the program that the settings name before anything is written. Throws an `OperatorError` that names the setting. */
export function checkPlaces({ caddy }: Config): void {
  if (caddy.path !== undefined) checkProgram('CADDY_PATH', caddy.path)
}
