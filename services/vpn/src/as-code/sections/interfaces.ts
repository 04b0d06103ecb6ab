import { z } from 'zod'
import { sealContext } from '../../interfaces/desired-devices.ts'
import { InterfaceCreate, InterfaceName } from '../../interfaces/schema.ts'
import { allInterfaceRows } from '../../interfaces/store.ts'
import { allNodeRows, findNodeIdByName } from '../../nodes/store.ts'
import { PublicKey } from '../../peers/schema.ts'
import { invalidField } from '../../problems.ts'
import { publicKeyOf } from '../../wireguard/keys.ts'
import { faultsOf } from '../faults.ts'
import { SealedText, secretPlace } from '../secrets.ts'
import type { Section, SectionContext, Wanted } from '../section.ts'

const { address, address6, listen_port, dns, mtu } = InterfaceCreate.shape

const InterfaceEntry = z.strictObject({
  address,
  address6: address6.unwrap().default(null),
  listen_port,
  dns,
  mtu,
  nat: z.boolean().default(true),
  forwarding: z.boolean().default(true),
  enabled: z.boolean().default(true),
  /** Name of the node that runs it. */
  node: z.string().max(64).nullable().default(null),
  /** Name of a node that runs it, too. */
  standby: z.string().max(64).nullable().default(null),
  public_key: PublicKey.optional(),
  private_key: SealedText.optional(),
})
type InterfaceEntry = z.infer<typeof InterfaceEntry>

/** The interfaces, by name. */
export const interfacesSection: Section<InterfaceEntry> = {
  name: 'interfaces',
  noun: 'interface',
  form: 'map',
  schema: InterfaceEntry,
  defaults: { address6: null, nat: true, forwarding: true, enabled: true, node: null, standby: null },
  secret: ['private_key'],
  prunes: 'first',
  names: InterfaceName,
  identify: (_, name) => ({ key: name, name }),
  async read({ parts, secrets }) {
    const rows = await allInterfaceRows(parts.db)
    const nodes = new Map((await allNodeRows(parts.db)).map(({ id, name }) => [id, name]))
    return rows.map((row) => {
      const place = secretPlace.interfaceKey(row.public_key)
      const key = secrets?.seal(parts.sealer.open(row.private_key, sealContext.interfaceKey(row.name)), place)
      return {
        id: row.name,
        key: row.name,
        name: row.name,
        value: {
          address: row.address,
          address6: row.address6,
          listen_port: row.listen_port,
          dns: row.dns,
          mtu: row.mtu,
          nat: row.nat === 1,
          forwarding: row.forwarding === 1,
          enabled: row.enabled === 1,
          node: nodes.get(row.node_id ?? '') ?? null,
          standby: nodes.get(row.standby_node_id ?? '') ?? null,
          public_key: row.public_key,
          private_key: key,
        },
      }
    })
  },
  async apply(context, { create, change }) {
    const { interfaces } = context.parts
    const overlap = context.allowHostOverlap ? { allow_host_overlap: true } : {}
    return [
      ...(await faultsOf(
        create,
        ({ path }) => path,
        (wanted) => createOne(context, wanted),
      )),
      ...(await faultsOf(
        change,
        ({ wanted }) => wanted.path,
        async ({ held, members }) => {
          const { public_key: publicKey, private_key: _, node, standby, ...others } = members
          if (publicKey !== undefined) throw invalidField('public_key', 'is another one than the interface has here')
          const changes = { ...others, ...(await placesOf(context, { node, standby })) }
          if (Object.keys(changes).length > 0) await interfaces.update(held.id, { ...changes, ...overlap })
        },
      )),
    ]
  },
  async remove({ parts }, extra) {
    for (const { id } of extra) await parts.interfaces.remove(id)
  },
}

async function createOne(context: SectionContext, { name, value }: Wanted<InterfaceEntry>): Promise<void> {
  const { private_key: sealed, public_key: publicKey, node, standby, ...input } = value
  const { parts, secrets, newKeys, allowHostOverlap } = context
  const keys = sealed === undefined || publicKey === undefined ? undefined : openKeys(context, { sealed, publicKey })
  if (sealed !== undefined && (publicKey === undefined || secrets === undefined))
    throw invalidField('private_key', 'needs public_key beside it')
  if (publicKey !== undefined && keys === undefined && !newKeys)
    throw invalidField(
      'public_key',
      'cannot come back without its private key, and with another one every device needs its configuration again: take an export with secrets, or allow new keys',
    )
  const overlap = allowHostOverlap ? { allow_host_overlap: true } : {}
  await parts.interfaces.create({ ...input, ...(await placesOf(context, { node, standby })), ...overlap, name }, keys)
}

/** Nodes join by themselves: a file names those that are there. */
async function placesOf(
  { parts }: SectionContext,
  names: { readonly node: string | null | undefined; readonly standby: string | null | undefined },
): Promise<{ node_id?: string | null; standby_node_id?: string | null }> {
  const find = async (member: 'node' | 'standby') => {
    const name = names[member]
    if (name === null || name === undefined) return name
    const id = await findNodeIdByName(parts.db, name)
    if (id === undefined) throw invalidField(member, `is no node of this service: ${name}`)
    return id
  }
  const [nodeId, standbyId] = [await find('node'), await find('standby')]
  return {
    ...(nodeId === undefined ? {} : { node_id: nodeId }),
    ...(standbyId === undefined ? {} : { standby_node_id: standbyId }),
  }
}

function openKeys({ secrets }: SectionContext, { sealed, publicKey }: { sealed: string; publicKey: string }) {
  if (secrets === undefined) return undefined
  const privateKey = openSecret(secrets, { sealed, place: secretPlace.interfaceKey(publicKey) })
  if (privateKey === undefined || publicKeyOf(privateKey) !== publicKey)
    throw invalidField('private_key', 'does not belong to this public_key')
  return { privateKey, publicKey }
}

/** Opens a secret of the file; undefined when it is another entry's or was changed. */
export function openSecret(
  secrets: NonNullable<SectionContext['secrets']>,
  { sealed, place }: { sealed: string; place: string },
): string | undefined {
  try {
    return secrets.open(sealed, place)
  } catch {
    return undefined
  }
}
