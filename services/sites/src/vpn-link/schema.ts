import { z } from 'zod'
import { homeNetworkProblem } from './networks.ts'

/** Sites whose names get local records in the VPN. */
export const RecordChoice = z.enum(['all', 'limited', 'none']).meta({
  id: 'RecordChoice',
  description: 'all: every enabled site; limited: those that are not for everyone; none: no records',
})
export type RecordChoice = z.infer<typeof RecordChoice>

const address = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:8101' })
  .max(500)
  .refine((text) => {
    if (!URL.canParse(text)) return true
    const { username, password, search, hash } = new URL(text)
    return username === '' && password === '' && search === '' && hash === ''
  }, 'must not contain a user name, a query or a fragment')
  .transform((text) => text.replace(/\/+$/, ''))

const token = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be an API token of the VPN')
  .meta({ writeOnly: true, description: 'API token of an administrator of the VPN with the permissions `full`' })

const homeNetworks = z.array(
  z
    .string()
    .trim()
    .max(64)
    .superRefine((text, context) => {
      const message = homeNetworkProblem(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    }),
)

const insideAddress = z
  .string()
  .trim()
  .pipe(z.union([z.ipv4(), z.ipv6()], 'must be an IP address'))
  // IPv6 in its shortest form, as the VPN has it.
  .transform((text) => (text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text))

/** A change of the link; members that are left out stay. */
export const VpnLinkChange = z
  .strictObject({
    address: address.meta({ description: 'Address of the Hearth VPN; another one needs the token again' }),
    token,
    home_networks: homeNetworks.max(64).meta({ description: 'Networks that count as home' }),
    inside_addresses: z
      .array(insideAddress)
      .max(4)
      .meta({ description: 'Addresses at which devices inside reach Caddy; names of sites lead there' }),
    records: RecordChoice,
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change at least one member')
  .meta({ id: 'VpnLinkChange' })
export type VpnLinkChange = z.infer<typeof VpnLinkChange>

const timestamp = z.iso.datetime().nullable()

const Tunnel = z.object({
  name: z.string(),
  networks: z.array(z.string()),
  masquerades: z.boolean().meta({ description: 'Devices reach other hosts under the address of the VPN’s host' }),
})

/** An interface of the VPN. */
export type Tunnel = z.infer<typeof Tunnel>

/** The link with a Hearth VPN, the networks that count as inside, and the state of the records. */
export const VpnLinkView = z
  .object({
    address: z.string().nullable().meta({ description: 'Null while no VPN is linked' }),
    home_networks: z.array(z.string()),
    suggested_home_networks: z.array(z.string()).meta({ description: 'Private networks of this machine' }),
    tunnels: z.array(Tunnel).meta({ description: 'Enabled interfaces of the VPN, as it said last' }),
    tunnels_at: timestamp,
    inside_addresses: z.array(z.string()),
    suggested_inside_addresses: z.array(z.string()),
    records: RecordChoice,
    state: z.enum(['unlinked', 'in_step', 'waiting', 'failing']).meta({
      description: 'in_step: the VPN has the records; waiting: a change is under way; failing: see `problem`',
    }),
    problem: z.string().nullable(),
    failing_since: timestamp.meta({ description: 'Time of the first of the failures; null while there is no problem' }),
    checked_at: timestamp.meta({ description: 'Time at which the VPN answered last' }),
    record_count: z.int().meta({ description: 'Records that this service keeps in the VPN' }),
    waiting_count: z.int().meta({ description: 'Records that are still to be written or removed' }),
    conflict_count: z.int(),
    conflicts: z
      .array(z.object({ name: z.string(), message: z.string() }))
      .meta({ description: 'Names that do not lead to this Caddy inside, the first hundred' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'VpnLink' })
export type VpnLinkView = z.infer<typeof VpnLinkView>

/** Result of ending the link. */
export const VpnUnlinked = z
  .object({ removed: z.int().meta({ description: 'Records that were removed from the VPN' }), detail: z.string() })
  .meta({ id: 'VpnUnlinked' })
export type VpnUnlinked = z.infer<typeof VpnUnlinked>
