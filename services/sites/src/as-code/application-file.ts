import { isDeepStrictEqual } from 'node:util'
import { phraseOfZodIssue } from '@hearth/http'
import { isObject } from '../import/config/json-location.ts'
import { maxClients } from '../openid-provider/clients/clients.ts'
import { OpenIdClientValues } from '../openid-provider/schema.ts'

/** Kinds of the other Hearth services begin so. They connect themselves, with a secret, and stand in no file. */
const servicePrefix = 'hearth-'

/** Returns true for another Hearth service, which connected itself. */
export const isHearthService = ({ preset }: Pick<OpenIdClientValues, 'preset'>): boolean =>
  preset.startsWith(servicePrefix)

const defaults = new Map(Object.entries(OpenIdClientValues.parse({ name: 'x', redirect_uris: ['x'] })))

/** Returns applications as a file has them, in the order of their names, without what is as it is by default. */
export function applicationEntries(applications: readonly OpenIdClientValues[]): Record<string, unknown>[] {
  return applications
    .filter((application) => !isHearthService(application))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, preset, redirect_uris, ...rest }) => {
      const isUsual = ([key, value]: readonly [string, unknown]) =>
        value === undefined || isDeepStrictEqual(value, defaults.get(key))
      const others = Object.entries(rest).filter((entry) => !isUsual(entry))
      return Object.assign({ name, preset, redirect_uris }, Object.fromEntries(others))
    })
}

/** Reads the list `applications` of a file; undefined when the file has none. Adds to the reasons what is wrong. */
export function readApplications(value: unknown, reasons: string[]): OpenIdClientValues[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) {
    reasons.push('applications: must be a list')
    return []
  }
  if (value.length > maxClients) reasons.push(`applications: at most ${maxClients} are possible`)
  const seen = new Set<string>()
  return value.flatMap((entry: unknown, index) => {
    const name = isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : `number ${index + 1}`
    const { data, error } = OpenIdClientValues.safeParse(entry)
    for (const issue of error?.issues ?? [])
      reasons.push(`application ${name}: ${[...issue.path, phraseOfZodIssue(issue)].join(': ')}`)
    if (data === undefined) return []
    if (isHearthService(data)) reasons.push(`application ${name}: Hearth services connect themselves`)
    if (seen.size === seen.add(data.name).size) reasons.push(`application ${name}: stands twice`)
    return [data]
  })
}
