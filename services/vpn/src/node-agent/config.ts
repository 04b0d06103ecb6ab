import { resolve } from 'node:path'
import { type Environment, filePath, logLevel, parseSettings, wholeNumber } from '@hearth/runtime'
import { z } from 'zod'
import type { BackendSetting } from '../wireguard/choose-driver.ts'

/** The settings of a node. */
export const nodeAgentSettings = z.object({
  DATA_DIR: filePath.default('data/vpn-node'),
  LOG_LEVEL: logLevel,
  WIREGUARD_BACKEND: z
    .enum(['auto', 'kernel', 'userspace', 'simulated'], { error: 'must be auto, kernel, userspace or simulated' })
    .default('auto'),
  DRIFT_CHECK_SECONDS: wholeNumber(1, 3600, 'must be a whole number of seconds from 1 to 3600').default(30),
})

/** Settings of a node, checked. */
export interface NodeAgentConfig {
  readonly dataDirectory: string
  readonly logLevel: string
  readonly backend: BackendSetting
  readonly driftCheckSeconds: number
}

/** Reads the settings of a node from the environment; throws an `OperatorError` that names the wrong one. */
export function readNodeConfig(environment: Environment): NodeAgentConfig {
  const settings = parseSettings(nodeAgentSettings, environment)
  return {
    dataDirectory: resolve(settings.DATA_DIR),
    logLevel: settings.LOG_LEVEL,
    backend: settings.WIREGUARD_BACKEND,
    driftCheckSeconds: settings.DRIFT_CHECK_SECONDS,
  }
}
