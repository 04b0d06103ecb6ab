import { z } from 'zod'
import { createApi, headerText, noZone, readAnswer, relativeName, zoneCandidates } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({ token: z.string().max(500).regex(headerText, 'must be an API token') })
const Records = z.object({ domain_records: z.array(z.object({ id: z.number(), data: z.string() })) })

const label = 'DigitalOcean'
const about = {
  kind: 'digitalocean',
  label,
  fields: [
    { name: 'token', label: 'API token', isSecret: true, hint: 'With the scopes domain:read, create and delete' },
  ],
} as const

/** Zones at DigitalOcean, through its API of version 2. */
export const digitalOcean = providerKind(about, Settings, createDigitalOcean)

function createDigitalOcean({ token }: z.infer<typeof Settings>, context: ProviderContext): DnsProvider {
  const reason = (json: unknown) => z.object({ message: z.string() }).safeParse(json).data?.message
  const headers = { authorization: `Bearer ${token}` }
  const api = createApi({ label, base: 'https://api.digitalocean.com/v2', headers, reason }, context)
  const same = async ({ zone, name, value }: TxtRecord) => {
    const query = `type=TXT&name=${encodeURIComponent(name)}&per_page=200`
    const found = await api(`/domains/${zone}/records?${query}`, { expected: [404] })
    if (found.status === 404) return []
    return readAnswer(label, Records, found).domain_records.filter(({ data }) => data.replaceAll('"', '') === value)
  }
  return {
    async findZone(name) {
      for (const zone of zoneCandidates(name)) {
        const { status } = await api(`/domains/${zone}`, { expected: [404] })
        if (status !== 404) return zone
      }
      throw noZone(label, name)
    },
    async addTxt(record) {
      // The same record twice would be two records.
      if ((await same(record)).length > 0) return
      const { zone, name, value } = record
      const body = { type: 'TXT', name: relativeName(name, zone, '@'), data: value, ttl: 30 }
      await api(`/domains/${zone}/records`, { method: 'POST', body })
    },
    async removeTxt(record) {
      for (const { id } of await same(record))
        await api(`/domains/${record.zone}/records/${id}`, { method: 'DELETE', expected: [404] })
    },
  }
}
