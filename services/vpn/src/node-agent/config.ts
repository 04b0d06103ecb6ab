import { resolve } from 'node:path'
import { type Environment, filePath, logLevel, parseSettings } from '@hearth/runtime'
import { z } from 'zod'

/** The settings of a node. */
export const nodeAgentSettings = z.object({ DATA_DIR: filePath.default('data/vpn-node'), LOG_LEVEL: logLevel })

/** Settings of a node, checked. */
export interface NodeAgentConfig {
  readonly dataDirectory: string
  readonly logLevel: string
}

/** Reads the settings of a node from the environment; throws an `OperatorError` that names the wrong one. */
export function readNodeConfig(environment: Environment): NodeAgentConfig {
  const { DATA_DIR, LOG_LEVEL } = parseSettings(nodeAgentSettings, environment)
  return { dataDirectory: resolve(DATA_DIR), logLevel: LOG_LEVEL }
}
