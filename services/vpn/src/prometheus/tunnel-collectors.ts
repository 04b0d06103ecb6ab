import { countByLabels, defineCollector, samplesOf, type Collector } from '@hearth/metrics'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { HealthNotice } from '../health/schema.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import type { Nodes } from '../nodes/nodes.ts'
import { statusOf } from '../peers/followed-peer.ts'
import type { Sampler } from '../peers/sampler.ts'
import type { Tables } from '../tables.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { createInterfaceTraffic } from './interface-traffic.ts'

export interface TunnelFigureDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly sampler: Pick<Sampler, 'peers' | 'lastReport'>
  readonly backend: string
  readonly nodes: Pick<Nodes, 'isEnabled' | 'list'>
  readonly health: () => Promise<HealthNotice[]>
}

/** The figures of interfaces, peers and nodes. */
export function tunnelCollectors(dependencies: TunnelFigureDependencies): Collector[] {
  return [
    interfaceCollector(dependencies),
    peerCollector(dependencies),
    nodeCollector(dependencies),
    healthCollector(dependencies),
  ]
}

function interfaceCollector({ db, tunnels, backend, sampler }: TunnelFigureDependencies): Collector {
  return defineCollector({
    name: 'interfaces',
    figures: {
      hearth_vpn_interface_up: { type: 'gauge', help: '1 for an interface that runs, otherwise 0' },
      hearth_vpn_interface_enabled: { type: 'gauge', help: '1 for an interface that is meant to run, otherwise 0' },
      hearth_vpn_backend_info: { type: 'gauge', help: 'The data plane: kernel, userspace or simulated' },
      hearth_vpn_sample_duration_seconds: { type: 'gauge', help: 'Time that the last reading of all devices took' },
    },
    async read() {
      const samples = samplesOf(await allInterfaceRows(db), ({ name }) => ({ interface: name }))
      const sample = sampler.lastReport()
      return {
        hearth_vpn_interface_up: samples(({ name }) => Number(tunnels.state(name).status === 'up')),
        hearth_vpn_interface_enabled: samples(({ enabled }) => enabled),
        hearth_vpn_backend_info: [[{ backend }, 1]],
        hearth_vpn_sample_duration_seconds: sample === undefined ? undefined : sample.durationMs / 1000,
      }
    },
  })
}

const stateNames = { active: 'connected', inactive: 'idle', disabled: 'disabled' } as const

function peerCollector({ clock, sampler }: TunnelFigureDependencies): Collector {
  const traffic = createInterfaceTraffic()
  return defineCollector({
    name: 'peers',
    figures: {
      hearth_vpn_peers: {
        type: 'gauge',
        help: 'Peers by interface and state: connected (handshake in the last three minutes), idle, or disabled',
      },
      hearth_vpn_latest_handshake_timestamp_seconds: {
        type: 'gauge',
        help: 'Time of the latest handshake of an interface',
      },
      hearth_vpn_receive_bytes_total: { type: 'counter', help: 'Bytes received from the peers of an interface' },
      hearth_vpn_transmit_bytes_total: { type: 'counter', help: 'Bytes sent to the peers of an interface' },
    },
    read() {
      const now = clock.now()
      const peers = [...sampler.peers()]
      const byInterface = Map.groupBy(peers, (peer) => peer.interface)
      const moved = samplesOf([...traffic.read(peers)], ([name]) => ({ interface: name }))
      return {
        hearth_vpn_peers: [...byInterface].flatMap(([name, own]) => {
          const counts = Map.groupBy(own, (peer) => stateNames[statusOf(peer, now)])
          return Object.values(stateNames).map(
            (state) => [{ interface: name, state }, counts.get(state)?.length ?? 0] as const,
          )
        }),
        hearth_vpn_latest_handshake_timestamp_seconds: Array.from(byInterface, ([name, own]) => {
          const latest = own.reduce((time, { activity }) => Math.max(time, activity.last_handshake ?? 0), 0)
          return [{ interface: name }, latest === 0 ? undefined : latest / 1000] as const
        }),
        hearth_vpn_receive_bytes_total: moved(([, { rx }]) => rx),
        hearth_vpn_transmit_bytes_total: moved(([, { tx }]) => tx),
      }
    },
  })
}

function nodeCollector({ nodes }: TunnelFigureDependencies): Collector {
  return defineCollector({
    name: 'nodes',
    figures: {
      hearth_vpn_node_up: {
        type: 'gauge',
        help: '1 for a node that reports, 0 for one that is lost; none before it joins',
      },
    },
    async read() {
      const known = nodes.isEnabled ? (await nodes.list()).nodes : []
      const joined = known.filter(({ status }) => status !== 'waiting')
      return {
        hearth_vpn_node_up: joined.map(({ name, status }) => [{ node: name }, Number(status === 'connected')] as const),
      }
    },
  })
}

function healthCollector({ health }: TunnelFigureDependencies): Collector {
  return defineCollector({
    name: 'health',
    figures: {
      hearth_vpn_health_problems: {
        type: 'gauge',
        help: 'Problems that the overview page shows, by severity and code',
      },
    },
    read: async () => ({
      hearth_vpn_health_problems: countByLabels(await health(), ({ severity, code }) => ({ severity, code })),
    }),
  })
}
