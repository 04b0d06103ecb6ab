import { request } from 'node:http'
import { locateError } from '../caddy/locate-error.ts'
import { compileConfig } from '../caddy/compile.ts'
import type { DesiredState } from '../caddy/desired-state.ts'
import type { Compiled } from './apply-to-node.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { ExpectedConfigs } from './nodes/expected-config.ts'
import { settleConfig } from './nodes/running-config.ts'
import type { PreparedConfigs } from './prepared-configs.ts'
import { areDifferent } from './nodes/capabilities.ts'
import { type KnownNode, type Nodes, reachHost } from './nodes/nodes.ts'

/** Dependencies of `createApplyNode`. */
export interface ApplyNodeDependencies {
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly configs: ExpectedConfigs
  readonly prepared: PreparedConfigs
  /** Returns true when changed sites are requested after a change. */
  readonly isProbing: () => boolean
  readonly nodes: Pick<Nodes, 'recheck'>
}

/** A node with what applying needs of it. */
export type ApplyNode = ReturnType<typeof createApplyNode>

/** Creates a node as applying needs it: with the compiler and the check afterwards. */
export function createApplyNode(node: KnownNode, dependencies: ApplyNodeDependencies) {
  const { desiredState, configs, prepared, isProbing, nodes } = dependencies
  let { place } = node
  function compile(state: DesiredState): Compiled {
    const { config, positions } = compileConfig(state, place)
    return { config, settled: settleConfig(config), locateError: (text) => locateError(text, positions) }
  }
  return {
    row: node.row,
    client: node.client,
    configs,
    /** Finds out whether it is another version by now; true when `compile` gives another configuration then. */
    async adjust(): Promise<boolean> {
      const now = await nodes.recheck(node.row.id).catch(() => undefined)
      if (now === undefined || !areDifferent(place.capabilities, now.capabilities)) return false
      ;({ place } = now)
      return true
    },
    compile(sites: readonly DesiredSite[]): Compiled {
      const state = desiredState(sites)
      return prepared.take(node.row.id, { state, place }) ?? compile(state)
    },
    /** Compiles ahead; `compile` uses the result if nothing has changed until then. */
    prepare(sites: readonly DesiredSite[]): void {
      const state = desiredState(sites)
      prepared.put(node.row.id, { state, place }, compile(state))
    },
    /** Checks what is served; the sites are those that are new or changed. */
    check: (changed: readonly DesiredSite[]): Promise<string | undefined> =>
      isProbing()
        ? checkServed({ host: reachHost(node), httpPort: place.httpPort }, changed)
        : Promise.resolve(undefined),
  }
}

/** Address at which the service reaches a node over plain HTTP. */
interface ServedAddress {
  readonly host: string
  readonly httpPort: number
}

/** Maximum number of sites requested after a change: one load serves thousands as well as one. */
const maxChecked = 8
const limitMs = 3000

/**
 * Checks that a node answers, and that changed sites are served: it requests the head of each one's first page. Any answer
 * counts, and so does a slow one. Returns what is wrong.
 */
export async function checkServed(
  { host, httpPort }: ServedAddress,
  sites: readonly DesiredSite[],
): Promise<string | undefined> {
  const names = sites.slice(0, maxChecked).map(({ record }) => record.domains[0] ?? '')
  // A wildcard is checked by one of the names below it.
  const hosts = names.length === 0 ? ['check.invalid'] : names.map((name) => name.replace(/^\*\./, 'check.'))
  const answers = await Promise.all(hosts.map((name) => requestHead({ host, httpPort }, name)))
  const index = answers.findIndex((answer) => answer !== undefined)
  return index === -1 ? undefined : `${hosts[index]} is not served: ${answers[index]}`
}

/** Returns why nothing was answered; undefined for any answer, and for one that only takes long. */
function requestHead({ host, httpPort }: ServedAddress, name: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const headers = { host: name.includes(':') ? `[${name}]` : name, 'user-agent': 'Hearth check' }
  const outgoing = request({ host, port: httpPort, method: 'HEAD', path: '/', headers, agent: false, timeout: limitMs })
  outgoing.on('response', (incoming) => {
    incoming.resume()
    resolve(undefined)
  })
  outgoing.on('timeout', () => {
    resolve(undefined)
    outgoing.destroy()
  })
  outgoing.on('error', (error) => {
    const code = (error as NodeJS.ErrnoException).code ?? error.message
    // A closed connection is an answer too: unknown hosts and blocked requests may get it.
    resolve(
      code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' ? `nobody listens at port ${httpPort} (${code})` : undefined,
    )
  })
  outgoing.end()
  return promise
}
