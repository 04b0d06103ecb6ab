import { z } from 'zod'
import { createApi, headerText, noZone, readAnswer, zoneCandidates } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, ProviderFailed, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({ token: z.string().max(500).regex(headerText, 'must be an API token') })
const Zones = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) })
const Records = z.object({ result: z.array(z.object({ id: z.string(), content: z.string() })) })
const Refusal = z.object({ errors: z.array(z.object({ code: z.number().optional(), message: z.string() })) })

const label = 'Cloudflare'
const about = {
  kind: 'cloudflare',
  label,
  fields: [
    { name: 'token', label: 'API token', isSecret: true, hint: 'With the permission Zone › DNS › Edit for the zone' },
  ],
} as const

/** Zones at Cloudflare, through its API of version 4. */
export const cloudflare = providerKind(about, Settings, createCloudflare)

/** An identical record is there already. */
const identical = new Set([81_057, 81_058])

function createCloudflare({ token }: z.infer<typeof Settings>, context: ProviderContext): DnsProvider {
  const base = 'https://api.cloudflare.com/client/v4'
  const reason = (json: unknown) =>
    Refusal.safeParse(json)
      .data?.errors.map(({ message }) => message)
      .join('; ')
  const api = createApi({ label, base, headers: { authorization: `Bearer ${token}` }, reason }, context)
  const zoneId = async (zone: string) => {
    const { result } = readAnswer(label, Zones, await api(`/zones?name=${encodeURIComponent(zone)}`))
    return result.find(({ name }) => name === zone)?.id
  }
  const knownZone = async (zone: string) => {
    const id = await zoneId(zone)
    if (id === undefined) throw noZone(label, zone)
    return id
  }
  return {
    async findZone(name) {
      for (const zone of zoneCandidates(name)) if ((await zoneId(zone)) !== undefined) return zone
      throw noZone(label, name)
    },
    async addTxt({ zone, name, value }: TxtRecord) {
      const path = `/zones/${await knownZone(zone)}/dns_records`
      const body = { type: 'TXT', name, content: `"${value}"`, ttl: 60 }
      const answer = await api(path, { method: 'POST', body, expected: [400] })
      if (answer.status !== 400) return
      const { errors } = readAnswer(label, Refusal, answer)
      if (errors.some(({ code }) => code !== undefined && identical.has(code))) return
      throw new ProviderFailed('refused', `${label} refused (${reason(answer.json) ?? ''})`)
    },
    async removeTxt({ zone, name, value }: TxtRecord) {
      const id = await zoneId(zone)
      if (id === undefined) return
      const path = `/zones/${id}/dns_records`
      const found = await api(`${path}?type=TXT&name=${encodeURIComponent(name)}&per_page=100`)
      const same = readAnswer(label, Records, found).result.filter(
        ({ content }) => content.replaceAll('"', '') === value,
      )
      for (const record of same) await api(`${path}/${record.id}`, { method: 'DELETE', expected: [404] })
    },
  }
}
