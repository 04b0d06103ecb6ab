import { z } from 'zod'
import { createApi, headerText } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2048)
    .refine((text) => !/[?#@]/.test(text), 'must not have a query, a fragment or a user name'),
  token: z.union([z.literal(''), z.string().max(500).regex(headerText, 'must not contain spaces')]).default(''),
})
type Settings = z.infer<typeof Settings>

const about = {
  kind: 'webhook',
  label: 'Webhook',
  fields: [
    {
      name: 'url',
      label: 'Address',
      isDestination: true,
      placeholder: 'https://dns.example.org/hearth',
      hint: 'Gets POST with action (add or remove), zone, name and value as JSON; 2xx is success',
    },
    { name: 'token', label: 'Token', isSecret: true, isOptional: true, hint: 'Sent as Authorization: Bearer' },
  ],
} as const

/** A program of one's own that makes TXT records when it is asked. */
export const webhook = providerKind(about, Settings, createWebhook)

function createWebhook({ url, token }: Settings, context: ProviderContext): DnsProvider {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const reason = (json: unknown) => z.object({ error: z.string() }).safeParse(json).data?.error
  const api = createApi({ label: 'The webhook', base: url, headers, reason }, context)
  const send = async (action: 'add' | 'remove', { zone, name, value }: TxtRecord) => {
    await api('', { method: 'POST', body: { action, zone, name, value } })
  }
  return {
    findZone: context.zoneOf,
    addTxt: (record) => send('add', record),
    removeTxt: (record) => send('remove', record),
  }
}
