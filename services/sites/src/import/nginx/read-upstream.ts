import type { Directive } from './nginx-directives.ts'
import type { UpstreamGroup } from './read-location.ts'

/** The servers of a block `upstream`. */
export function readUpstream(block: readonly Directive[], lost: (what: string) => void): UpstreamGroup {
  const servers = block.flatMap(({ name, words: [address = '', ...rest] }) => {
    if (name !== 'server') return []
    const unused = ['down', 'backup'].find((word) => rest.includes(word))
    if (unused !== undefined) {
      lost(`the server ${address.slice(0, 100)}, which is marked ${unused}`)
      return []
    }
    const weight = Number(/^weight=(\d{1,4})$/.exec(rest.find((word) => word.startsWith('weight=')) ?? '')?.[1] ?? 1)
    return [{ address, weight: Math.min(1000, Math.max(1, weight)) }]
  })
  const has = (word: string) => block.some(({ name }) => name === word)
  const isWeighted = servers.some(({ weight }) => weight !== 1)
  const policy = has('least_conn')
    ? 'least_conn'
    : has('ip_hash')
      ? 'ip_hash'
      : isWeighted
        ? 'weighted_round_robin'
        : 'round_robin'
  return { servers, policy }
}
