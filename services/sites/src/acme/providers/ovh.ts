import { createHash } from 'node:crypto'
import { z } from 'zod'
import { createApi, headerText, noZone, readAnswer, relativeName, zoneCandidates } from './provider-request.ts'
import { type DnsProvider, providerKind, type ProviderContext, type TxtRecord } from './provider.ts'

const key = z.string().max(200).regex(headerText, 'must not contain spaces')
const regions = {
  'ovh-eu': 'https://eu.api.ovh.com/v1',
  'ovh-ca': 'https://ca.api.ovh.com/v1',
  'ovh-us': 'https://api.us.ovhcloud.com/v1',
}
const names = ['ovh-eu', 'ovh-ca', 'ovh-us'] as const
const Settings = z.strictObject({
  region: z.enum(names).default('ovh-eu'),
  application_key: key,
  application_secret: key,
  consumer_key: key,
})
type Settings = z.infer<typeof Settings>

const Ids = z.array(z.number())
const Found = z.object({ target: z.string() })

const label = 'OVH'
const about = {
  kind: 'ovh',
  label,
  fields: [
    { name: 'region', label: 'Region', choices: names, isOptional: true, isDestination: true },
    { name: 'application_key', label: 'Application key' },
    { name: 'application_secret', label: 'Application secret', isSecret: true },
    {
      name: 'consumer_key',
      label: 'Consumer key',
      isSecret: true,
      hint: 'With GET, POST and DELETE on /domain/zone/*',
    },
  ],
} as const

/** Zones at OVHcloud, through its API of version 1. */
export const ovh = providerKind(about, Settings, createOvh)

/** The signature of a call: over the secret, the whole address, the body and the time. */
export function signOvh(
  settings: Settings,
  parts: { method: string; url: string; body: string; seconds: number },
): string {
  const { method, url, body, seconds } = parts
  const text = [settings.application_secret, settings.consumer_key, method, url, body, String(seconds)].join('+')
  return `$1$${createHash('sha1').update(text).digest('hex')}`
}

type Method = 'GET' | 'POST' | 'DELETE'

function createOvh(settings: Settings, context: ProviderContext): DnsProvider {
  const base = regions[settings.region]
  const reason = (json: unknown) => z.object({ message: z.string() }).safeParse(json).data?.message
  const call = (
    method: Method,
    path: string,
    { body, expected = [] }: { body?: object; expected?: readonly number[] } = {},
  ) => {
    const seconds = Math.floor(context.now() / 1000)
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'x-ovh-application': settings.application_key,
      'x-ovh-consumer': settings.consumer_key,
      'x-ovh-timestamp': String(seconds),
      'x-ovh-signature': signOvh(settings, { method, url: `${base}${path}`, body: text, seconds }),
    }
    return createApi({ label, base, headers, reason }, context)(path, { method, body, expected })
  }
  const same = async ({ zone, name, value }: TxtRecord) => {
    const subdomain = encodeURIComponent(relativeName(name, zone, ''))
    const path = `/domain/zone/${zone}/record`
    const ids = readAnswer(label, Ids, await call('GET', `${path}?fieldType=TXT&subDomain=${subdomain}`))
    const matching: number[] = []
    for (const id of ids.slice(0, 50)) {
      const found = await call('GET', `${path}/${id}`, { expected: [404] })
      if (found.status !== 404 && readAnswer(label, Found, found).target.replaceAll('"', '') === value)
        matching.push(id)
    }
    return matching
  }
  // A change is published by the refresh of its zone.
  const refresh = (zone: string) => call('POST', `/domain/zone/${zone}/refresh`)
  return {
    async findZone(name) {
      for (const zone of zoneCandidates(name)) {
        const { status } = await call('GET', `/domain/zone/${zone}`, { expected: [404] })
        if (status !== 404) return zone
      }
      throw noZone(label, name)
    },
    async addTxt(record) {
      const { zone, name, value } = record
      const body = { fieldType: 'TXT', subDomain: relativeName(name, zone, ''), target: `"${value}"`, ttl: 60 }
      if ((await same(record)).length === 0) await call('POST', `/domain/zone/${zone}/record`, { body })
      await refresh(zone)
    },
    async removeTxt(record) {
      const { zone } = record
      for (const id of await same(record))
        await call('DELETE', `/domain/zone/${zone}/record/${id}`, { expected: [404] })
      await refresh(zone)
    },
  }
}
