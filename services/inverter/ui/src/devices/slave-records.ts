import type { components } from '../api.gen.ts'

type Slave = components['schemas']['Slave']

/** A further inverter of a plant, as far as adding it needs to know. */
export interface KnownSlave {
  networkId: number
  name: string
  serial: string
}

/** The records that name a network id; what a device leaves out is empty. */
export function knownSlaves(slaves: readonly Slave[]): KnownSlave[] {
  return slaves.flatMap((slave) => {
    const networkId = slave['network_id']
    if (typeof networkId !== 'number') return []
    return [{ networkId, name: textOf(slave['name']), serial: textOf(slave['serial_number']) }]
  })
}

function textOf(value: Slave[string] | undefined): string {
  return typeof value === 'string' ? value : ''
}
