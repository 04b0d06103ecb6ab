import { eventually } from '@hearth/testing'
import type { NetworkHost } from './network-hosts.ts'

/** Result of a ping that ran beside other work. */
export interface PingReport {
  readonly sent: number
  /** Sequence numbers no one answered. */
  readonly lost: readonly number[]
  /** Longest way there and back, milliseconds. */
  readonly slowest: number
}

/** A ping that goes on until it is stopped. */
export interface SteadyPing {
  /** Waits until so many were answered. */
  answered(count: number): Promise<void>
  stop(): Promise<PingReport>
}

/** Pings an address twenty times a second until stopped. */
export function startPing(host: NetworkHost, address: string): SteadyPing {
  const child = host.start('ping', '-n', '-i', '0.05', '-W', '2', address)
  let answers = 0
  child.stdout.on('data', (text: Buffer | string) => {
    answers += text.toString().match(/ ttl=/g)?.length ?? 0
  })
  return {
    async answered(count) {
      await eventually(
        () => answers,
        (now) => now >= count,
        { what: `${count} answers to a ping` },
      )
    },
    async stop() {
      child.kill('SIGINT')
      return reportOf((await child).stdout)
    },
  }
}

function reportOf(text: string): PingReport {
  const answered = new Set([...text.matchAll(/ icmp_seq=(\d+) ttl=/g)].map((match) => Number(match[1])))
  const sent = Number(/(\d+) packets transmitted/.exec(text)?.[1])
  const times = [...text.matchAll(/ time=([\d.]+) ms/g)].map((match) => Number(match[1]))
  // The very last one may have been sent in the moment of the end.
  const numbers = Array.from({ length: sent }, (_, index) => index + 1)
  const lost = numbers.filter((number) => !answered.has(number) && !(number === sent && answered.has(sent - 1)))
  return { sent, lost, slowest: Math.max(...times) }
}
