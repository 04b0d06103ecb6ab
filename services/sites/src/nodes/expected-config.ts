import type { Sealer } from '@hearth/credentials'
import type { NodeRow } from './tables.ts'

/** Keeps what nodes ran last. A configuration may hold private keys and hashes, so it is sealed. */
export interface ExpectedConfigs {
  /** @param text JSON */
  seal(nodeId: number, text: string): string
  /** The JSON; undefined when nothing was applied yet. */
  openText(row: Pick<NodeRow, 'id' | 'expected_config'>): string | undefined
  open(row: Pick<NodeRow, 'id' | 'expected_config'>): object | undefined
}

const placeOf = (nodeId: number) => `nodes.expected_config:${nodeId}`

export function createExpectedConfigs(sealer: Sealer): ExpectedConfigs {
  const openText: ExpectedConfigs['openText'] = ({ id, expected_config: sealed }) =>
    sealed === null ? undefined : sealer.open(sealed, placeOf(id))
  return {
    seal: (nodeId, text) => sealer.seal(text, placeOf(nodeId)),
    openText,
    open(row) {
      const text = openText(row)
      return text === undefined ? undefined : (JSON.parse(text) as object)
    },
  }
}
