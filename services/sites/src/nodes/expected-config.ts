import type { Sealer } from '@hearth/credentials'
import type { NodeRow } from './tables.ts'

/** Keeps what nodes ran last. A configuration may hold private keys and hashes, so it is sealed. */
export interface ExpectedConfigs {
  seal(nodeId: number, config: object): string
  /** Undefined when nothing was applied yet. */
  open(row: Pick<NodeRow, 'id' | 'expected_config'>): object | undefined
}

const placeOf = (nodeId: number) => `nodes.expected_config:${nodeId}`

export function createExpectedConfigs(sealer: Sealer): ExpectedConfigs {
  return {
    seal: (nodeId, config) => sealer.seal(JSON.stringify(config), placeOf(nodeId)),
    open({ id, expected_config: sealed }) {
      return sealed === null ? undefined : (JSON.parse(sealer.open(sealed, placeOf(id))) as object)
    },
  }
}
