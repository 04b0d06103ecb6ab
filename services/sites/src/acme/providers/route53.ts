import { z } from 'zod'
import { type AwsKeys, signAws } from './aws-signature.ts'
import { createApi, headerText, noZone, zoneCandidates } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, ProviderFailed, type TxtRecord } from './provider.ts'

const Settings = z.strictObject({
  access_key_id: z.string().max(200).regex(/^\w+$/, 'must be an access key id'),
  secret_access_key: z.string().max(200).regex(headerText, 'must be a secret access key'),
})

const label = 'Route 53'
const about = {
  kind: 'route53',
  label: 'Amazon Route 53',
  fields: [
    { name: 'access_key_id', label: 'Access key id', placeholder: 'AKIA…' },
    {
      name: 'secret_access_key',
      label: 'Secret access key',
      isSecret: true,
      hint: 'Of a user who may list hosted zones, and list and change record sets of the zone',
    },
  ],
} as const

/** Public zones at Amazon Route 53, through its API of 2013. */
export const route53 = providerKind(about, Settings, (settings, context) =>
  createRoute53({ accessKeyId: settings.access_key_id, secretAccessKey: settings.secret_access_key }, context),
)

const base = 'https://route53.amazonaws.com/2013-04-01'
const ttl = 60

/** The contents of all elements of a name, in a text that has no elements of that name within them. */
const contentsOf = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(([, content = '']) => content)

const plain = (xml: string): string => xml.replaceAll('&quot;', '"').replaceAll('"', '').trim()

function createRoute53(keys: AwsKeys, context: ProviderContext): DnsProvider {
  const call = async (path: string, body?: string): Promise<string> => {
    const method = body === undefined ? 'GET' : 'POST'
    const request = { method, url: new URL(base + path), body: body ?? '', now: context.now() }
    const headers = signAws(keys, { ...request, region: 'us-east-1', service: 'route53' })
    const reason = (_: unknown, text: string) => contentsOf(text, 'Message')[0]
    const answer = await createApi({ label, base, headers, reason }, context)(path, { method, body, expected: [400] })
    if (answer.status !== 400) return answer.text
    const words = contentsOf(answer.text, 'Message')[0] ?? 'status 400'
    const isBusy = ['Throttling', 'PriorRequestNotComplete'].includes(contentsOf(answer.text, 'Code')[0] ?? '')
    throw new ProviderFailed(isBusy ? 'rate-limited' : 'refused', `${label} refused (${words.slice(0, 300)})`)
  }
  const zoneId = async (zone: string): Promise<string | undefined> => {
    const found = await call(`/hostedzonesbyname?dnsname=${encodeURIComponent(zone)}&maxitems=10`)
    const own = contentsOf(found, 'HostedZone').find(
      (xml) => contentsOf(xml, 'Name')[0] === `${zone}.` && contentsOf(xml, 'PrivateZone')[0] !== 'true',
    )
    return own === undefined ? undefined : contentsOf(own, 'Id')[0]?.replace(/^\/hostedzone\//, '')
  }
  /** All values of a name are one set, which is written whole. */
  const change = ({ zone, name, value }: TxtRecord, isWanted: boolean) =>
    context.withLock(`route53 ${name}`, async () => {
      const id = await zoneId(zone)
      if (id === undefined && !isWanted) return
      if (id === undefined || !/^\w+$/.test(id)) throw noZone(label, name)
      const path = `/hostedzone/${id}/rrset`
      const found = await call(`${path}?maxitems=1&name=${encodeURIComponent(name)}&type=TXT`)
      const before = setOf(found, name)
      const others = before.values.filter((each) => each !== value)
      const values = isWanted ? [...others, value] : others
      if (values.length === before.values.length) return
      const set = values.length === 0 ? { action: 'DELETE', ...before } : { action: 'UPSERT', values, ttl }
      await call(`${path}/`, changeXml(name, set))
    })
  return {
    async findZone(name) {
      for (const zone of zoneCandidates(name)) if ((await zoneId(zone)) !== undefined) return zone
      throw noZone(label, name)
    },
    addTxt: (record) => change(record, true),
    removeTxt: (record) => change(record, false),
  }
}

/** The values of a name in a list that begins with it, if it has any. */
function setOf(xml: string, name: string): { values: string[]; ttl: number } {
  const [first = ''] = contentsOf(xml, 'ResourceRecordSet')
  const isSame = contentsOf(first, 'Name')[0] === `${name}.` && contentsOf(first, 'Type')[0] === 'TXT'
  const values = isSame ? contentsOf(first, 'Value').map(plain) : []
  return { values, ttl: Number(contentsOf(first, 'TTL')[0] ?? ttl) }
}

interface ChangedSet {
  readonly action: string
  readonly values: readonly string[]
  readonly ttl: number
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function changeXml(name: string, { action, values, ttl: seconds }: ChangedSet): string {
  const records = values.map(
    (value) => `<ResourceRecord><Value>&quot;${escapeXml(value)}&quot;</Value></ResourceRecord>`,
  )
  const head = `<Name>${escapeXml(name)}.</Name><Type>TXT</Type><TTL>${seconds}</TTL>`
  const set = `<ResourceRecordSet>${head}<ResourceRecords>${records.join('')}</ResourceRecords></ResourceRecordSet>`
  const change = `<Change><Action>${action}</Action>${set}</Change>`
  const batch = `<ChangeBatch><Changes>${change}</Changes></ChangeBatch>`
  const namespace = 'https://route53.amazonaws.com/doc/2013-04-01/'
  return `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="${namespace}">${batch}</ChangeResourceRecordSetsRequest>`
}
