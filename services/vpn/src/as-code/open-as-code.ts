import { AsCode, type AsCodeDependencies } from './as-code.ts'
import type { OfflineDependencies } from './offline-parts.ts'
import { openTrial } from './trial.ts'

/** The wanted state of the service whose parts these are. */
export const openAsCode = (dependencies: Omit<AsCodeDependencies, 'openTrial'>, offline: OfflineDependencies): AsCode =>
  new AsCode({ ...dependencies, openTrial: () => openTrial(offline) })
