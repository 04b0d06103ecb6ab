import type { AccessRule } from '../api.ts'

/** Colours of groups. */
export const groupColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'] as const

/** What a rule may speak of, in words. */
export const subjectKinds = { everybody: 'Every device', group: 'A group', peer: 'One device' } as const
export const targetKinds = {
  ...subjectKinds,
  network: 'A network or address',
  internet: 'The internet',
  gateway: 'The gateway itself',
} as const

export const protocols = { any: 'Everything', tcp: 'TCP', udp: 'UDP', icmp: 'Ping (ICMP)' } as const

/** One end of a rule, in words. */
export function endText({ kind, name, network }: AccessRule['to']): string {
  if (kind === 'everybody') return 'every device'
  if (kind === 'internet') return 'the internet'
  if (kind === 'gateway') return 'the gateway'
  return name ?? network ?? 'something deleted'
}

/** What a rule is about besides its ends, in words. */
export function serviceText({ protocol, ports }: Pick<AccessRule, 'protocol' | 'ports'>): string {
  if (protocol === 'any') return 'everything'
  if (protocol === 'icmp') return 'ping'
  if (ports.length === 0) return protocol.toUpperCase()
  return `${protocol.toUpperCase()} ${ports.length === 1 && !ports[0]?.includes('-') ? 'port' : 'ports'} ${ports.join(', ')}`
}

/** A rule as a sentence. */
export const ruleText = (rule: AccessRule): string =>
  `${rule.action === 'allow' ? 'Allow' : 'Deny'} ${serviceText(rule)} from ${endText(rule.from)} to ${endText(rule.to)}`

/** Fields of the form of a rule; `name` is a group's id or a device's name. */
export interface RuleValues extends Record<string, unknown> {
  action: AccessRule['action']
  from: keyof typeof subjectKinds
  fromGroup: string
  fromPeer: string
  to: keyof typeof targetKinds
  toGroup: string
  toPeer: string
  network: string
  protocol: AccessRule['protocol']
  ports: string
  note: string
}

/** Values of the form for a rule, or for a new one. */
export function ruleValues(rule: AccessRule | undefined): RuleValues {
  const group = (end: AccessRule['to'] | undefined) => (end?.kind === 'group' ? (end.id ?? '') : '')
  const peer = (end: AccessRule['to'] | undefined) => (end?.kind === 'peer' ? (end.name ?? '') : '')
  return {
    action: rule?.action ?? 'deny',
    from: rule?.from.kind ?? 'everybody',
    fromGroup: group(rule?.from),
    fromPeer: peer(rule?.from),
    to: rule?.to.kind ?? 'everybody',
    toGroup: group(rule?.to),
    toPeer: peer(rule?.to),
    network: rule?.to.network ?? '',
    protocol: rule?.protocol ?? 'any',
    ports: rule?.ports.join(', ') ?? '',
    note: rule?.note ?? '',
  }
}

/** Ports as they are typed: divided by commas or blanks. */
export const readPorts = (text: string): string[] =>
  text
    .replaceAll(/\s*[-–]\s*/g, '-')
    .split(/[\s,;]+/)
    .filter((part) => part !== '')

/** True for protocols with ports. */
export const hasPorts = (protocol: AccessRule['protocol']): boolean => protocol === 'tcp' || protocol === 'udp'

/** The order of ids after one of them has moved to another place. */
export function moved(ids: readonly string[], id: string, place: number): string[] {
  const others = ids.filter((each) => each !== id)
  return [...others.slice(0, place), id, ...others.slice(place)]
}
