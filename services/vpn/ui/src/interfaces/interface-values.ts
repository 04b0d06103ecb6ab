import { changedValues } from '@hearth/ui/changed-values'
import type { components } from '../api.gen.ts'
import type { Interface } from '../api.ts'

type InterfaceCreate = components['schemas']['InterfaceCreate']
type InterfaceUpdate = components['schemas']['InterfaceUpdate']
/** A free name, network and port. */
export type Proposal = components['schemas']['InterfaceProposal']

/** Values of the interface form; an empty text means "none", an empty number "as the service decides". */
export interface InterfaceValues extends Record<string, unknown> {
  name: string
  address: string
  address6: string
  listen_port: number | ''
  dns: string
  mtu: number | ''
  nat: boolean
  forwarding: boolean
  /** Id of the node that is to run it; empty for the host of the service. */
  node: string
  /** Id of the node that is to run it, too; empty for none. */
  standby: string
  /** Set with the first interface; empty when it is set already or stays as it is. */
  public_endpoint: string
  /** Take the network although it is one of the host's. */
  allow_host_overlap: boolean
}

/** The form for a new interface, filled with what the service found free and the host devices probably reach it by. */
export function proposedValues(proposal: Proposal, endpoint = ''): InterfaceValues {
  const places = { node: '', standby: '' }
  return { ...proposal, nat: true, forwarding: true, ...places, public_endpoint: endpoint, allow_host_overlap: false }
}

/** The form for an interface that exists. */
export function interfaceValues(from: Interface): InterfaceValues {
  const { name, address, address6, listen_port, dns, mtu, nat, forwarding } = from
  const places = { node: from.node?.id ?? '', standby: from.standby?.id ?? '' }
  const choices = { ...places, public_endpoint: '', allow_host_overlap: false }
  return { name, address, address6: address6 ?? '', listen_port, dns, mtu, nat, forwarding, ...choices }
}

/** The body that creates an interface. */
export function toInterfaceCreate(values: InterfaceValues): InterfaceCreate {
  const { name, address, address6, listen_port, dns, mtu, nat, forwarding } = values
  return {
    name,
    address,
    address6: address6 === '' ? null : address6,
    dns,
    nat,
    forwarding,
    ...(listen_port === '' ? {} : { listen_port }),
    ...(mtu === '' ? {} : { mtu }),
    ...(values.node === '' ? {} : { node_id: values.node }),
    ...(values.standby === '' ? {} : { standby_node_id: values.standby }),
    ...(values.allow_host_overlap ? { allow_host_overlap: true } : {}),
  }
}

/** The body that changes an interface: only what differs; undefined when nothing does. */
export function toInterfaceUpdate(values: InterfaceValues, before: InterfaceValues): InterfaceUpdate | undefined {
  const others = changedValues(toInterfaceCreate(values), toInterfaceCreate(before))
  const changed = {
    ...others,
    ...(values.node === before.node ? {} : { node_id: values.node || null }),
    ...(values.standby === before.standby ? {} : { standby_node_id: values.standby || null }),
  }
  return Object.keys(changed).length === 0 ? undefined : changed
}
