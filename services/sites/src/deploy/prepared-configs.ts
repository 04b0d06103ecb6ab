import { isDeepStrictEqual } from 'node:util'
import type { CompiledSite, DesiredState, NodeProfile } from '../caddy/desired-state.ts'
import type { Compiled } from './apply-to-node.ts'

/** What a configuration is compiled from: the same always gives the same. */
export interface CompileInput {
  readonly state: DesiredState
  readonly place: NodeProfile
}

/** Configurations that were compiled while edits were collected, one a node. Each is used once, and only for the same input. */
export class PreparedConfigs {
  readonly #prepared = new Map<number, CompileInput & { readonly compiled: Compiled }>()

  put(nodeId: number, input: CompileInput, compiled: Compiled): void {
    this.#prepared.set(nodeId, { ...input, compiled })
  }

  /** Returns the configuration of a node when it was compiled from the same, and forgets it in any case. */
  take(nodeId: number, input: CompileInput): Compiled | undefined {
    const prepared = this.#prepared.get(nodeId)
    this.#prepared.delete(nodeId)
    return prepared !== undefined && isSame(prepared, input) ? prepared.compiled : undefined
  }

  clear(): void {
    this.#prepared.clear()
  }
}

function isSame(one: CompileInput, other: CompileInput): boolean {
  const { sites: before, ...rest } = one.state
  const { sites: after, ...otherRest } = other.state
  return (
    before.length === after.length &&
    before.every((site, index) => isSameSite(site, after[index])) &&
    isDeepStrictEqual([rest, one.place], [otherRest, other.place])
  )
}

/** Members of sites that have not changed are mostly the very same objects. */
function isSameSite(one: CompiledSite, other: CompiledSite | undefined): boolean {
  if (other === undefined) return false
  const names = Object.keys(one) as (keyof CompiledSite)[]
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => one[name] === other[name] || isDeepStrictEqual(one[name], other[name]))
}
