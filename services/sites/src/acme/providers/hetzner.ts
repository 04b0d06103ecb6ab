import { z } from 'zod'
import { createApi, headerText, noZone, readAnswer, relativeName, zoneCandidates } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({ token: z.string().max(500).regex(headerText, 'must be an API token') })
const Zones = z.object({ zones: z.array(z.object({ id: z.number(), name: z.string() })) })
const RecordSet = z.object({ rrset: z.object({ records: z.array(z.object({ value: z.string() })) }) })

const label = 'Hetzner'
const about = {
  kind: 'hetzner',
  label,
  fields: [
    {
      name: 'token',
      label: 'API token',
      isSecret: true,
      hint: 'Of the project of Hetzner Console that has the zone; read and write',
    },
  ],
} as const

/** Zones in Hetzner Console, through the Cloud API. The older DNS Console is another API. */
export const hetzner = providerKind(about, Settings, createHetzner)

function createHetzner({ token }: z.infer<typeof Settings>, context: ProviderContext): DnsProvider {
  const reason = (json: unknown) =>
    z.object({ error: z.object({ message: z.string() }) }).safeParse(json).data?.error.message
  const headers = { authorization: `Bearer ${token}` }
  const api = createApi({ label, base: 'https://api.hetzner.cloud/v1', headers, reason }, context)
  const setOf = ({ zone, name }: TxtRecord) => `/zones/${zone}/rrsets/${relativeName(name, zone, '@')}/TXT`
  const has = async (record: TxtRecord) => {
    const found = await api(setOf(record), { expected: [404] })
    if (found.status === 404) return false
    return readAnswer(label, RecordSet, found).rrset.records.some(({ value }) => value === `"${record.value}"`)
  }
  return {
    async findZone(name) {
      for (const zone of zoneCandidates(name)) {
        const { zones } = readAnswer(label, Zones, await api(`/zones?name=${encodeURIComponent(zone)}`))
        if (zones.some((found) => found.name === zone)) return zone
      }
      throw noZone(label, name)
    },
    async addTxt(record) {
      if (await has(record)) return
      const body = { records: [{ value: `"${record.value}"` }], ttl: 60 }
      await api(`${setOf(record)}/actions/add_records`, { method: 'POST', body })
    },
    async removeTxt(record) {
      if (!(await has(record))) return
      const body = { records: [{ value: `"${record.value}"` }] }
      await api(`${setOf(record)}/actions/remove_records`, { method: 'POST', body })
    },
  }
}
