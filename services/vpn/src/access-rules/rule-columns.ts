import { networkOf, parseNetworkAddress } from '../wireguard/network-address.ts'
import { invalidField } from '../problems.ts'
import type { AccessRuleRow } from './tables.ts'
import type { PortRange } from './policy/policy.ts'
import type { AccessRuleUpdate, AccessTargetInput } from './schema.ts'

/** Columns of a rule that its operator decides. */
type RuleColumns = Omit<AccessRuleRow, 'id' | 'position' | 'created_at' | 'created_by'>

/** Returns the columns of a rule after a change, which may be all of it. Throws a `Problem` that names the wrong member. */
export function ruleColumns(
  known: RuleColumns,
  changes: Omit<AccessRuleUpdate, 'position'>,
  context: { isGroup: (id: string) => boolean; isPeer: (id: string) => boolean },
): RuleColumns {
  const { from, to, protocol = known.protocol, action = known.action, note = known.note, enabled } = changes
  const columns: RuleColumns = {
    ...known,
    ...(from === undefined ? {} : fromColumns(from, context)),
    ...(to === undefined ? {} : toColumns(to, context)),
    protocol,
    action,
    note: note.trim(),
    enabled: enabled === undefined ? known.enabled : Number(enabled),
    ports: changes.ports === undefined ? known.ports : JSON.stringify(changes.ports.map(readPorts)),
  }
  if (columns.ports !== '[]' && protocol !== 'tcp' && protocol !== 'udp')
    throw invalidField('ports', 'need the protocol TCP or UDP')
  return columns
}

/** Columns of no rule yet. */
export const noColumns: RuleColumns = {
  from_kind: 'everybody',
  from_group: null,
  from_peer: null,
  to_kind: 'everybody',
  to_group: null,
  to_peer: null,
  to_network: null,
  protocol: 'any',
  ports: '[]',
  action: 'allow',
  enabled: 1,
  note: '',
}

type Context = Parameters<typeof ruleColumns>[2]

function fromColumns(from: NonNullable<AccessRuleUpdate['from']>, context: Context) {
  checkKnown('from.id', from, context)
  return {
    from_kind: from.kind,
    from_group: from.kind === 'group' ? from.id : null,
    from_peer: from.kind === 'peer' ? from.id : null,
  }
}

function toColumns(to: AccessTargetInput, context: Context) {
  checkKnown('to.id', to, context)
  return {
    to_kind: to.kind,
    to_group: to.kind === 'group' ? to.id : null,
    to_peer: to.kind === 'peer' ? to.id : null,
    to_network: to.kind === 'network' ? readNetwork(to.network) : null,
  }
}

function checkKnown(member: string, target: AccessTargetInput, { isGroup, isPeer }: Context): void {
  if (target.kind === 'group' && !isGroup(target.id)) throw invalidField(member, 'is no group', 'unknown')
  if (target.kind === 'peer' && !isPeer(target.id)) throw invalidField(member, 'is no peer', 'unknown')
}

/** Returns a network in the form it is stored. */
function readNetwork(text: string): string {
  const written = text.trim()
  try {
    const { address, prefix } = parseNetworkAddress(written)
    const network = networkOf(written)
    if (network === `${address}/${prefix}`) return network
    throw invalidField('to.network', `has bits behind its prefix; the network is ${network}`)
  } catch (error) {
    if (error instanceof Error && error.name === 'DeviceError')
      throw invalidField('to.network', 'must be an IP address or a network such as 192.168.1.0/24')
    throw error
  }
}

function readPorts(text: string, index: number): PortRange {
  const [first = 0, last = first] = text.split('-').map(Number)
  if (first < 1 || last > 65_535) throw invalidField(`ports.${index}`, 'must lie between 1 and 65535')
  if (first > last) throw invalidField(`ports.${index}`, 'begins behind its end')
  return [first, last]
}
