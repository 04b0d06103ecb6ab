import type { RunCommand } from '../wireguard/command.ts'
import { DeviceError } from '../wireguard/device.ts'
import { initiationLength } from './initiation.ts'

/** Rules of the firewall that put handshakes which reach this host into a packet queue. */
export interface QueueRules {
  /** Puts the handshakes to these UDP ports into the queue, and no others. Throws a `DeviceError`. */
  replace(queue: number, ports: readonly number[]): Promise<void>
  /** Puts nothing more into the queue. Throws a `DeviceError`. */
  clear(): Promise<void>
  /** Takes everything away; nothing may wait in the queue any more, because the kernel drops it then. */
  remove(): Promise<void>
}

const table = 'hearth_vpn_handshakes'
const udpLength = 8 + initiationLength
const families = [
  { program: 'iptables', ipLength: 20 + udpLength },
  { program: 'ip6tables', ipLength: 40 + udpLength },
] as const

/**
 * Rules through `nft`, or through `iptables` where the kernel has no queues for nft. Packets that nobody reads from the queue go on:
 * a rule that is left behind does no harm.
 */
export function createQueueRules(run: RunCommand): QueueRules {
  const nft = nftRules(run)
  const iptables = iptablesRules(run)
  let inUse: QueueRules | undefined
  return {
    async replace(queue, ports) {
      if (inUse !== undefined) return inUse.replace(queue, ports)
      const failure = await nft.replace(queue, ports).then(() => undefined, deviceError)
      inUse = nft
      if (failure === undefined) return
      // What was wrong with nft is what an operator can mend.
      await iptables.replace(queue, ports).catch(async () => {
        inUse = undefined
        await iptables.remove()
        throw failure
      })
      inUse = iptables
    },
    async clear() {
      await inUse?.clear()
    },
    async remove() {
      await inUse?.remove()
      inUse = undefined
    },
  }
}

function nftRules(run: RunCommand): QueueRules {
  const write = (text: string) => run('nft', ['-f', '/dev/stdin'], { secretInput: text })
  const place = `inet ${table} input`
  // A chain that stands stays: with one that goes the kernel drops what waits in any queue.
  const empty = `add table inet ${table}
add chain ${place} { type filter hook input priority 10; policy accept; }
flush chain ${place}
`
  return {
    async replace(queue, ports) {
      const which = `udp dport { ${ports.join(', ')} } udp length ${udpLength}`
      await write(`${empty}add rule ${place} ${which} queue num ${queue} bypass\n`)
    },
    async clear() {
      await write(empty)
    },
    async remove() {
      await write(`add table inet ${table}\ndelete table inet ${table}\n`)
    },
  }
}

function iptablesRules(run: RunCommand): QueueRules {
  // Before the filter, which decides about the packet afterwards as about any other.
  const mangle = ['--wait', '5', '-t', 'mangle']
  const jump = (chain: string) => ['INPUT', '-j', chain]
  let chain = ''
  return {
    async replace(queue, ports) {
      // A node and a service on the same host have queues, and chains, of their own.
      chain = `hearth-handshakes-${queue}`
      for (const { program, ipLength } of families) {
        const rules = ports.map(
          (port) =>
            `-A ${chain} -p udp --dport ${port} -m length --length ${ipLength} -j NFQUEUE --queue-num ${queue} --queue-bypass\n`,
        )
        // Makes the chain, or empties it.
        const file = `*mangle\n:${chain} - [0:0]\n${rules.join('')}COMMIT\n`
        await run(`${program}-restore`, ['--wait', '5', '--noflush', '/dev/stdin'], { secretInput: file })
        await run(program, [...mangle, '-C', ...jump(chain)]).catch(() =>
          run(program, [...mangle, '-A', ...jump(chain)]),
        )
      }
    },
    async clear() {
      for (const { program } of families) await run(program, [...mangle, '-F', chain]).catch(() => undefined)
    },
    async remove() {
      // Somebody else may have taken them away, and a host may have no IPv6.
      for (const { program } of families)
        for (const words of [
          ['-D', ...jump(chain)],
          ['-F', chain],
          ['-X', chain],
        ])
          await run(program, [...mangle, ...words]).catch(() => undefined)
    },
  }
}

function deviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error
  throw error
}
