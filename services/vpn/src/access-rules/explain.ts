import { isIP } from 'node:net'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { nameKey } from '../envelope.ts'
import { canonicalIpv6 } from '../interfaces/subnet.ts'
import { invalidField } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { AccessInForce } from './access-in-force.ts'
import { Decider, type Decision } from './policy/decide.ts'
import { policyOfHost } from './policy/host-policy.ts'
import type { Policy, PolicyPeer } from './policy/policy.ts'
import type { AccessExplanation, AccessQuestion, AccessRule } from './schema.ts'
import { findPeerByIdOrName, namesOfStoppedPeers } from './store.ts'

/** Dependencies of answers. */
interface ExplainDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Pick<Clock, 'now'>
  readonly inForce: Pick<AccessInForce, 'policy' | 'nodeOf'>
  readonly hostAddresses: () => readonly string[]
}

/** An address of the internet that no rule names, for questions about the internet as such. */
const someAddress = '203.0.113.1'

/** Answers whether a peer reaches something, and why. */
export async function explainAccess(
  { db, clock, inForce, hostAddresses }: ExplainDependencies,
  { question, rules }: { question: AccessQuestion; rules: readonly AccessRule[] },
): Promise<AccessExplanation> {
  const { protocol } = question
  const port = protocol === 'icmp' ? undefined : question.port
  if (protocol !== 'icmp' && port === undefined) throw invalidField('port', 'is needed with TCP and UDP')
  const policy = await inForce.policy()
  const from = policy.peers.get((await findPeer(db, 'from', question.from)).id)
  if (from === undefined) throw invalidField('from', 'is no peer', 'unknown')
  const host = inForce.nodeOf(from.interface)
  const ownAddresses = host === null ? hostAddresses() : []
  const to = await findTarget(db, question.to, { from, decider: new Decider(policy, ownAddresses), policy })
  const [stopped] = await namesOfStoppedPeers(db, to.id === null ? [from.id] : [from.id, to.id], clock.now())
  const target = to.id === null ? undefined : policy.peers.get(to.id)
  const decide = (): Answered => {
    if (stopped !== undefined) return absent(stopped)
    if (target !== undefined && inForce.nodeOf(target.interface) !== host) return apart(from, target)
    const own = policyOfHost(policy, (name) => inForce.nodeOf(name) === host)
    return new Decider(own, ownAddresses).decide({ from: from.id, to: to.address, protocol, port })
  }
  const decision = decide()
  const rule = rules.find(({ id }) => id === decision.rule?.id) ?? null
  return answerOf({ decision, rule, from, to, protocol, port })
}

/** A decision, or that one of the peers is not there. */
type Answered = Omit<Decision, 'because'> & { readonly because: AccessExplanation['because'] }

const absent = (name: string): Answered => ({
  action: 'deny',
  because: 'disabled',
  rule: undefined,
  steps: [`${name} is disabled or has expired: it is not in the tunnel.`],
})

const apart = (from: PolicyPeer, to: PolicyPeer): Answered => ({
  action: 'deny',
  because: 'host',
  rule: undefined,
  steps: [`${from.interface} and ${to.interface} run on different hosts, and no tunnel leads from one to the other.`],
})

/** The address that a question is about. */
async function findTarget(
  db: Kysely<Tables>,
  text: string,
  { from, decider, policy }: { from: PolicyPeer; decider: Decider; policy: Policy },
): Promise<AccessExplanation['to']> {
  const written = text.trim()
  if (written.toLowerCase() === 'internet') return { id: null, name: 'the internet', address: someAddress }
  if (written.toLowerCase() === 'gateway') {
    const on = policy.interfaces.find(({ name }) => name === from.interface)
    return { id: null, name: 'the gateway', address: on?.addresses[0] ?? '' }
  }
  if (isIP(written) !== 0 && !written.includes('%')) {
    const address = isIP(written) === 6 ? canonicalIpv6(written) : written
    const owner = decider.owner(address)
    const name = owner?.name ?? (decider.isGateway(address) ? 'the gateway' : address)
    return { id: owner?.id ?? null, name, address }
  }
  const { id, name } = await findPeer(db, 'to', written)
  return { id, name, address: policy.peers.get(id)?.addresses[0] ?? '' }
}

async function findPeer(db: Kysely<Tables>, member: string, text: string): Promise<{ id: string; name: string }> {
  const key = { id: text.trim().toLowerCase(), nameKey: nameKey(text.trim()) }
  const found = await findPeerByIdOrName(db, key)
  if (found === undefined) throw invalidField(member, 'is no peer', 'unknown')
  return found
}

/** Returns the answer to a question, with a sentence that says it. */
function answerOf({
  decision,
  rule,
  from,
  to,
  protocol,
  port,
}: {
  readonly decision: Answered
  readonly rule: AccessRule | null
  readonly from: { readonly id: string; readonly name: string }
  readonly to: AccessExplanation['to']
} & Pick<AccessQuestion, 'protocol' | 'port'>): AccessExplanation {
  const { action, because, steps } = decision
  const by = protocol === 'icmp' ? 'with ping (ICMP)' : `on ${protocol.toUpperCase()} port ${port}`
  const verb = action === 'allow' ? 'can reach' : 'cannot reach'
  return {
    action,
    because,
    message: `${from.name} ${verb} ${to.name} ${by}: ${reasons[because](rule)}`,
    rule,
    steps: [...steps],
    from: { id: from.id, name: from.name },
    to,
  }
}

const reasons: Record<AccessExplanation['because'], (rule: AccessRule | null) => string> = {
  disabled: () => 'one of them is disabled or has expired.',
  host: () => 'their interfaces run on different hosts.',
  address: () => 'it has no address of that kind in the tunnel.',
  isolation: () => 'one of them is isolated, which comes before all rules.',
  forwarding: () => 'forwarding is off for the interface, which comes before all rules.',
  always: () => 'this is always allowed.',
  rule: (rule) => `rule ${rule?.position ?? ''} decides.`.replace('  ', ' '),
  default: () => 'no rule matches, so the default decides.',
}
