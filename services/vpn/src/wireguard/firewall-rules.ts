/** The firewall of one running interface, as the operator set it. */
export interface InterfaceRules {
  readonly name: string
  /** Networks of the interface in CIDR form without host bits, IPv4 first. */
  readonly subnets: readonly string[]
  /** Masquerade what leaves the host from these networks. */
  readonly nat: boolean
  /** Let peers reach beyond the host (other networks, other peers). */
  readonly forwarding: boolean
  /** Addresses of peers that may reach neither other peers nor the host, DNS excepted. */
  readonly isolated: readonly string[]
}
