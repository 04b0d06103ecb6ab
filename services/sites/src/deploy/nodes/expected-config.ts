import type { Sealer } from '@hearth/credentials'
import type { NodeRow } from './tables.ts'

/** Seals and opens the last applied configuration of a node, which may hold private keys and hashes. */
export type ExpectedConfigs = ReturnType<typeof createExpectedConfigs>

type SealedConfig = Pick<NodeRow, 'id' | 'expected_config'>

const sealContext = (nodeId: number) => `nodes.expected_config:${nodeId}`

/** Creates the sealing of expected configurations; each is bound to its node, and `open` throws for another one's. */
export function createExpectedConfigs(sealer: Sealer) {
  const openText = ({ id, expected_config: sealed }: SealedConfig): string | undefined =>
    sealed === null ? undefined : sealer.open(sealed, sealContext(id))
  return {
    /** @param text JSON */
    seal: (nodeId: number, text: string): string => sealer.seal(text, sealContext(nodeId)),
    /** Returns the JSON text; undefined when nothing was applied yet. */
    openText,
    open(row: SealedConfig): object | undefined {
      const text = openText(row)
      return text === undefined ? undefined : (JSON.parse(text) as object)
    },
  }
}
