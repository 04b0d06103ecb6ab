import { Memberships, type Policy, type Subject, type Target } from './policy.ts'

/** Returns the policy of one host: its interfaces with their peers. Rules about others match nothing there. */
export function policyOfHost(policy: Policy, isOn: (name: string) => boolean): Policy {
  const peers = new Map([...policy.peers].filter(([, peer]) => isOn(peer.interface)))
  return { ...policy, interfaces: policy.interfaces.filter(({ name }) => isOn(name)), peers }
}

/**
 * Returns the policy of one host with nothing about others in it: groups are the peers in them, without tags, and rules that
 * can be about nobody there are left out.
 */
export function closedPolicyOfHost(policy: Policy, isOn: (name: string) => boolean): Policy {
  const own = policyOfHost(policy, isOn)
  const memberships = new Memberships(own)
  const members = (id: string) => memberships.members(id)
  const isKnown = (target: Subject | Target) =>
    target.kind === 'peer' ? own.peers.has(target.id) : target.kind === 'group' ? members(target.id).size > 0 : true
  const rules = own.rules.filter(({ from, to }) => isKnown(from) && isKnown(to))
  const named = new Set(
    rules.flatMap(({ from, to }) => [from, to].flatMap((one) => (one.kind === 'group' ? one.id : []))),
  )
  const groups = [...own.groups.values()].filter(({ id }) => named.has(id))
  return {
    interfaces: own.interfaces,
    peers: new Map([...own.peers].map(([id, peer]) => [id, { ...peer, tags: [] }])),
    groups: new Map(groups.map((group) => [group.id, { ...group, peers: members(group.id), tags: [] }])),
    rules,
  }
}
