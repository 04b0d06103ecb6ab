import type { Sealer } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import { findNodeConfig, putNodeConfig } from './store.ts'
import type { NodeTables } from './tables.ts'

/** The last applied configuration of each node. It may hold private keys and hashes, and is stored sealed. */
export type ExpectedConfigs = ReturnType<typeof createExpectedConfigs>

type Db = Kysely<NodeTables>

const sealContext = (nodeId: number) => `nodes.expected_config:${nodeId}`

/** Creates the store of expected configurations; each is bound to its node, and reading throws for another one's. */
export function createExpectedConfigs(db: Db, sealer: Sealer) {
  async function readText(nodeId: number): Promise<string | undefined> {
    const sealed = await findNodeConfig(db, nodeId)
    return sealed === undefined ? undefined : sealer.open(sealed, sealContext(nodeId))
  }
  return {
    /** Stores a configuration in a transaction; `text` is JSON. */
    write: (trx: Db, nodeId: number, text: string): Promise<void> =>
      putNodeConfig(trx, { node_id: nodeId, config: sealer.seal(text, sealContext(nodeId)) }),
    /** Returns the JSON text; undefined when nothing was applied yet. */
    readText,
    async read(nodeId: number): Promise<object | undefined> {
      const text = await readText(nodeId)
      return text === undefined ? undefined : (JSON.parse(text) as object)
    },
  }
}
