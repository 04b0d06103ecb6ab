import { z } from 'zod'
import { createApi, headerText, noZone, readAnswer, relativeName } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({ token: z.string().max(500).regex(headerText, 'must be a token') })
const Domains = z.array(z.object({ name: z.string() }))
const RecordSet = z.object({ records: z.array(z.string()) })

const label = 'deSEC'
const about = {
  kind: 'desec',
  label,
  fields: [{ name: 'token', label: 'Token', isSecret: true, hint: 'One that may change TXT records of the domain' }],
} as const

/** Zones at deSEC, through its API of version 1. */
export const desec = providerKind(about, Settings, createDesec)

/** The shortest that deSEC allows by default, seconds. */
const ttl = 3600

function createDesec({ token }: z.infer<typeof Settings>, context: ProviderContext): DnsProvider {
  const reason = (json: unknown) => z.object({ detail: z.string() }).safeParse(json).data?.detail
  const headers = { authorization: `Token ${token}` }
  const api = createApi({ label, base: 'https://desec.io/api/v1', headers, reason }, context)
  /** All values of a name are one set, which is written whole. */
  const change = ({ zone, name, value }: TxtRecord, isWanted: boolean) =>
    context.withLock(`desec ${name}`, async () => {
      const subname = relativeName(name, zone, '')
      const place = `/domains/${zone}/rrsets/${subname === '' ? '@' : subname}/TXT/`
      const found = await api(place, { expected: [404] })
      const before = found.status === 404 ? [] : readAnswer(label, RecordSet, found).records
      const others = before.filter((record) => record !== `"${value}"`)
      const records = isWanted ? [...others, `"${value}"`] : others
      if (records.length === before.length) return
      const body = [{ subname, type: 'TXT', ttl, records }]
      await api(`/domains/${zone}/rrsets/`, { method: 'PUT', body })
    })
  return {
    async findZone(name) {
      const domains = readAnswer(label, Domains, await api(`/domains/?owns_qname=${encodeURIComponent(name)}`))
      const [zone] = domains
      if (zone === undefined) throw noZone(label, name)
      return zone.name
    },
    addTxt: (record) => change(record, true),
    removeTxt: (record) => change(record, false),
  }
}
