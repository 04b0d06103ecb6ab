import {
  type Action,
  createNetworkTest,
  dnsPort,
  familyOf,
  localNetworks,
  Memberships,
  type Policy,
  type PolicyInterface,
  type PolicyPeer,
  type PolicyRule,
  type Protocol,
  type Target,
  tunnelNetworks,
} from './policy.ts'

/** The first packet of a connection. */
export interface Question {
  /** Id of the peer that begins the connection. */
  readonly from: string
  /** Address that it is sent to, in its short form. */
  readonly to: string
  readonly protocol: Exclude<Protocol, 'any'>
  /** Undefined for ICMP. */
  readonly port?: number | undefined
}

/** What decided: something that comes before all rules, a rule, or the interface's default. */
export type Because = 'address' | 'isolation' | 'forwarding' | 'always' | 'rule' | 'default'

/** The answer to a question. */
export interface Decision {
  readonly action: Action
  readonly because: Because
  readonly rule: PolicyRule | undefined
  /** What was looked at, in order, the last one decided. */
  readonly steps: readonly string[]
}

/** Decides questions about a policy: the model of what the compiled table does with packets. */
export class Decider {
  readonly #policy: Policy
  readonly #memberships: Memberships
  readonly #owners = new Map<string, PolicyPeer>()
  readonly #ownersOfNetworks: { readonly isIn: (address: string) => boolean; readonly peer: PolicyPeer }[] = []
  readonly #gateway: ReadonlySet<string>
  readonly #isInTunnels: (address: string) => boolean
  readonly #isLocal: (address: string) => boolean
  readonly #resolvers: ReadonlySet<string>

  /** `hostAddresses`: those of this host outside its tunnels. */
  constructor(policy: Policy, hostAddresses: readonly string[] = []) {
    this.#policy = policy
    this.#memberships = new Memberships(policy)
    for (const peer of policy.peers.values()) {
      for (const address of peer.addresses) this.#owners.set(address, peer)
      if (peer.networks.length > 0) this.#ownersOfNetworks.push({ isIn: createNetworkTest(peer.networks), peer })
    }
    this.#gateway = new Set([...hostAddresses, ...policy.interfaces.flatMap(({ addresses }) => addresses)])
    this.#isInTunnels = createNetworkTest(tunnelNetworks(policy))
    this.#isLocal = createNetworkTest(localNetworks(policy))
    this.#resolvers = new Set(policy.interfaces.flatMap(({ resolvers }) => resolvers))
  }

  /** The peer that an address belongs to, its own or one behind it. */
  owner(address: string): PolicyPeer | undefined {
    return this.#owners.get(address) ?? this.#ownersOfNetworks.find(({ isIn }) => isIn(address))?.peer
  }

  isGateway(address: string): boolean {
    return this.#gateway.has(address)
  }

  decide(question: Question): Decision {
    const steps: string[] = []
    const source = this.#policy.peers.get(question.from)
    const on = this.#policy.interfaces.find(({ name }) => name === source?.interface)
    if (source === undefined || on === undefined) throw new Error('the policy has no such peer')
    if (!source.addresses.some((address) => familyOf(address) === familyOf(question.to)))
      return ended(steps, [
        'deny',
        'address',
        `${source.name} has no IPv${familyOf(question.to)} address in the tunnel.`,
      ])
    steps.push(this.#opening(question, source))
    const isToGateway = this.#gateway.has(question.to)
    const first = isToGateway ? gatewayFirst(question, source) : this.#first(question, source, on)
    if (first !== undefined) return ended(steps, first)
    steps.push(isToGateway ? '' : 'Neither isolation nor the interface keeps it from leaving its tunnel.')
    return this.#byRules(question, { source, on, isToGateway, steps: steps.filter((step) => step !== '') })
  }

  #byRules(
    question: Question,
    context: { source: PolicyPeer; on: PolicyInterface; isToGateway: boolean; steps: string[] },
  ): Decision {
    const { source, on, isToGateway, steps } = context
    const said = this.#service(question)
    let others = 0
    const flush = () => {
      if (others > 0) steps.push(`${others} ${others === 1 ? 'rule is' : 'rules are'} about other devices.`)
      others = 0
    }
    for (const rule of this.#policy.rules) {
      if (!this.#memberships.includes(rule.from, source.id)) {
        others += 1
        continue
      }
      flush()
      const name = `Rule ${rule.number} (${this.describe(rule)})`
      if (!this.#isTarget(rule.to, question.to, isToGateway)) steps.push(`${name} is about another destination.`)
      else if (!isService(rule, question)) steps.push(`${name} is not about ${said}.`)
      else {
        const verb = rule.action === 'allow' ? 'allows' : 'denies'
        return { ...ended(steps, [rule.action, 'rule', `${name} matches and ${verb} it.`]), rule }
      }
    }
    flush()
    if (isToGateway)
      return ended(steps, ['allow', 'default', 'No rule matches, and the gateway’s own services are open then.'])
    const verb = on.otherwise === 'allow' ? 'allows' : 'denies'
    return ended(steps, [on.otherwise, 'default', `No rule matches, and the default of ${on.name} ${verb} it.`])
  }

  /** Returns a rule in words. */
  describe({ action, from, to, protocol, ports }: PolicyRule): string {
    const service =
      protocol === 'any' ? '' : ` ${protocol.toUpperCase()}${ports.length === 0 ? '' : ` ${portsText(ports)}`}`
    return `${action}${service} from ${this.#name(from)} to ${this.#name(to)}`
  }

  #name(target: Target): string {
    switch (target.kind) {
      case 'everybody':
        return 'everybody'
      case 'internet':
        return 'the internet'
      case 'gateway':
        return 'the gateway'
      case 'network':
        return target.network
      case 'group':
        return this.#policy.groups.get(target.id)?.name ?? 'a deleted group'
      case 'peer':
        return this.#policy.peers.get(target.id)?.name ?? 'a deleted peer'
    }
  }

  #opening({ to }: Question, source: PolicyPeer): string {
    const groups = [...this.#memberships.groupsOf(source.id)].map((id) => this.#policy.groups.get(id)?.name ?? '')
    const membership = groups.length === 0 ? 'in no group' : `in ${groups.toSorted().join(', ')}`
    return `${source.name} is on ${source.interface} and ${membership}; ${to} ${this.#whose(to)}.`
  }

  #whose(address: string): string {
    if (this.#gateway.has(address)) return 'is the gateway itself'
    const owner = this.owner(address)
    if (owner !== undefined) {
      const groups = [...this.#memberships.groupsOf(owner.id)].map((id) => this.#policy.groups.get(id)?.name ?? '')
      const verb = this.#owners.has(address) ? 'belongs to' : 'is behind'
      return `${verb} ${owner.name}${groups.length === 0 ? '' : `, in ${groups.toSorted().join(', ')}`}`
    }
    if (this.#isInTunnels(address)) return 'belongs to no peer'
    return this.#isLocal(address) ? 'is in a private network' : 'is on the internet'
  }

  /** What comes before all rules. */
  #first({ to, protocol, port }: Question, source: PolicyPeer, on: PolicyInterface): First | undefined {
    const owner = this.owner(to)
    const target = this.#policy.interfaces.find(
      ({ name, networks }) => name === owner?.interface || createNetworkTest(networks)(to),
    )
    if (target !== undefined)
      for (const peer of [source, owner])
        if (peer?.isIsolated === true)
          return ['deny', 'isolation', `${peer.name} is isolated: it reaches no other peer and none reaches it.`]
    for (const each of [on, target])
      if (each?.forwarding === false)
        return ['deny', 'forwarding', `Forwarding is off for ${each.name}: its peers reach the gateway alone.`]
    if (protocol !== 'icmp' && port === dnsPort && this.#resolvers.has(to))
      return ['allow', 'always', `${to} is a resolver that devices are given: DNS there is always allowed.`]
    return undefined
  }

  #isTarget(target: Target, address: string, isToGateway: boolean): boolean {
    if (target.kind === 'gateway' || isToGateway) return target.kind === 'gateway' && isToGateway
    switch (target.kind) {
      case 'everybody':
        return this.#isInTunnels(address)
      case 'internet':
        return !this.#isLocal(address)
      case 'network':
        return familyOf(target.network) === familyOf(address) && createNetworkTest([target.network])(address)
      case 'group':
      case 'peer': {
        const owner = this.owner(address)
        return owner !== undefined && this.#memberships.includes(target, owner.id)
      }
    }
  }

  #service({ protocol, port }: Question): string {
    return protocol === 'icmp' ? 'ping (ICMP)' : `${protocol.toUpperCase()} port ${port}`
  }
}

/** An action, what decided on it, and that in words. */
type First = readonly [Action, Because, string]

const ended = (steps: readonly string[], [action, because, step]: First): Decision => ({
  action,
  because,
  rule: undefined,
  steps: [...steps, step],
})

/** DNS and ping at the gateway come before all rules; an isolated peer reaches nothing else there. */
function gatewayFirst({ protocol, port }: Question, source: PolicyPeer): First | undefined {
  if (protocol === 'icmp') return ['allow', 'always', 'Ping (ICMP) at the gateway is always allowed.']
  if (port === dnsPort) return ['allow', 'always', 'DNS at the gateway is always allowed.']
  if (source.isIsolated)
    return ['deny', 'isolation', `${source.name} is isolated: at the gateway it reaches DNS and ping alone.`]
  return undefined
}

function isService({ protocol, ports }: PolicyRule, question: Question): boolean {
  if (protocol === 'any') return true
  if (protocol !== question.protocol) return false
  const { port } = question
  return ports.length === 0 || (port !== undefined && ports.some(([first, last]) => port >= first && port <= last))
}

/** Ports as they are written. */
export const portsText = (ports: PolicyRule['ports']): string =>
  ports.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')
