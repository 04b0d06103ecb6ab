import { z } from 'zod'
import { createApi, headerText } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, ProviderFailed } from './provider.ts'

const text = z.string().max(500).regex(headerText, 'must not contain spaces')
const Settings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2048)
    .refine((address) => !/[?#@]/.test(address), 'must not have a query, a fragment or a user name'),
  subdomain: z.string().regex(/^[a-z0-9-]{1,63}$/i, 'must be the subdomain that the registration gave'),
  username: text,
  password: text,
})
type Settings = z.infer<typeof Settings>

const about = {
  kind: 'acme-dns',
  label: 'acme-dns',
  fields: [
    { name: 'url', label: 'Address', isDestination: true, placeholder: 'https://auth.example.org' },
    { name: 'subdomain', label: 'Subdomain', hint: '_acme-challenge of your domain must be an alias (CNAME) of it' },
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', isSecret: true },
  ],
} as const

/** Words of the server that need more words: it says the same of everything that it does not accept. */
const meanings: Readonly<Record<string, string>> = {
  forbidden:
    'forbidden, for user name, password and subdomain do not belong together or are not allowed from this address',
}

/** A server of acme-dns. It keeps the two newest values of a name and removes none. */
export const acmeDns = providerKind(about, Settings, createAcmeDns)

function createAcmeDns({ url, subdomain, username, password }: Settings, context: ProviderContext): DnsProvider {
  const label = 'acme-dns'
  const reason = (json: unknown) => {
    const error = z.object({ error: z.string() }).safeParse(json).data?.error
    return error === undefined ? undefined : (meanings[error] ?? error)
  }
  const headers = { 'x-api-user': username, 'x-api-key': password }
  const api = createApi({ label, base: url.replace(/\/+$/, ''), headers, reason }, context)
  return {
    maxValues: 2,
    findZone(name) {
      const prefix = `${subdomain.toLowerCase()}.`
      if (name.startsWith(prefix)) return Promise.resolve(name.slice(prefix.length))
      const words = `${name} is no alias of the subdomain ${subdomain} of acme-dns`
      return Promise.reject(new ProviderFailed('wrong-zone', words))
    },
    async addTxt({ value }) {
      await api('/update', { method: 'POST', body: { subdomain, txt: value } })
    },
    // The next two values replace this one.
    removeTxt: () => Promise.resolve(),
  }
}
