import type { RunCommand } from '../wireguard/command.ts'
import { DeviceError } from '../wireguard/device.ts'
import { initiationLength } from './initiation.ts'

/** Rules of the firewall that put handshakes which reach this host into a packet queue. */
export interface QueueRules {
  /** Puts the handshakes to these UDP ports into the queue, and no others. Throws a `DeviceError`. */
  replace(queue: number, ports: readonly number[]): Promise<void>
  /** Takes the rules away. Throws a `DeviceError`. */
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
      await iptables.replace(queue, ports).catch(() => {
        inUse = undefined
        throw failure
      })
      inUse = iptables
    },
    async remove() {
      await inUse?.remove()
      inUse = undefined
    },
  }
}

function nftRules(run: RunCommand): QueueRules {
  const write = (text: string) => run('nft', ['-f', '/dev/stdin'], { secretInput: text })
  const without = `add table inet ${table}\ndelete table inet ${table}\n`
  return {
    async replace(queue, ports) {
      await write(`${without}table inet ${table} {
  chain input {
    type filter hook input priority 10; policy accept;
    udp dport { ${ports.join(', ')} } udp length ${udpLength} queue num ${queue} bypass
  }
}
`)
    },
    async remove() {
      await write(without)
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
    async remove() {
      for (const { program } of families) {
        await run(program, [...mangle, '-D', ...jump(chain)])
        await run(program, [...mangle, '-F', chain])
        await run(program, [...mangle, '-X', chain])
      }
    },
  }
}

function deviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error
  throw error
}
