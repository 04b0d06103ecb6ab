import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { z } from 'zod'
import type { Catalog } from '../catalog/catalog.ts'
import { checkPublishedNames } from '../metrics/check-names.ts'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { TimeSeriesSettings, type TimeSeriesChange } from './schema.ts'
import type { ServerAddress } from './write-request.ts'

/** Settings of the time series, in step with the database. Secrets are sealed and leave only to the server. */
export type TimeSeriesSettingsStore = Awaited<ReturnType<typeof openTimeSeriesSettings>>

const Stored = z.object({
  settings: TimeSeriesSettings,
  token: z.string().nullable(),
  password: z.string().nullable(),
})
type Stored = z.infer<typeof Stored>
type SecretName = 'token' | 'password'

const setting = 'time_series'
const placeOf = (name: SecretName) => `settings.time_series:${name}`

/** Reads the settings; without stored ones nothing is written. */
export async function openTimeSeriesSettings({ query }: Database<Tables>, sealer: Sealer, catalog: Catalog) {
  const found = Stored.safeParse(await readSetting(query, setting))
  let stored: Stored = found.success ? found.data : { settings: defaults(catalog), token: null, password: null }

  const seal = (name: SecretName, given: string | null | undefined): string | null =>
    given === undefined ? stored[name] : given === null ? null : sealer.seal(given, placeOf(name))
  const open = (name: SecretName, sealed: string | null): string =>
    sealed === null ? '' : sealer.open(sealed, placeOf(name))

  /** Returns what would be stored; throws a problem that names the member that is wrong. */
  function next(change: TimeSeriesChange): Stored {
    const { token: newToken, password: newPassword, ...values } = change
    checkPublishedNames(values.metrics, catalog)
    if (values.enabled) checkComplete(values)
    const isElsewhere = values.url !== '' && values.url !== stored.settings.url
    for (const [name, given] of [
      ['token', newToken],
      ['password', newPassword],
    ] as const)
      if (isElsewhere && given === undefined && stored[name] !== null)
        throw invalid(name, 'must be entered again, because the address of the server has changed')
    const token = seal('token', newToken)
    const password = seal('password', newPassword)
    if (password !== null && values.username === '') throw invalid('username', 'is needed with a password')
    return { settings: { ...values, has_token: token !== null, has_password: password !== null }, token, password }
  }

  function addressIn({ settings, token, password }: Stored): ServerAddress {
    const { url, api, organization, bucket, database, username, precision } = settings
    const secrets = { token: open('token', token), password: open('password', password) }
    return { url, api, organization, bucket, database, username, precision, ...secrets }
  }

  return {
    current: (): TimeSeriesSettings => stored.settings,
    address: (): ServerAddress => addressIn(stored),
    /** Returns the address that a change stands for, without storing it. */
    addressOf(change: TimeSeriesChange): ServerAddress {
      checkComplete(change)
      return addressIn(next(change))
    },
    async change(change: TimeSeriesChange): Promise<void> {
      const changed = next(change)
      await writeSetting(query, setting, changed)
      stored = changed
    },
  }
}

function checkComplete({ url, api, organization, bucket }: TimeSeriesChange): void {
  if (url === '') throw invalid('url', 'is needed to write points')
  if (api === 'v2' && bucket === '') throw invalid('bucket', 'is needed with v2')
  if (api === 'v2' && organization === '') throw invalid('organization', 'is needed with v2')
}

const defaults = ({ roles }: Catalog): TimeSeriesSettings => ({
  enabled: false,
  url: '',
  api: 'v2',
  organization: '',
  bucket: '',
  database: '',
  username: '',
  measurement: 'inverter',
  metrics: [...new Set([...roles.energyFlow, ...roles.preselected])].slice(0, 64),
  interval_seconds: 30,
  precision: 's',
  buffer_mib: 50,
  has_token: false,
  has_password: false,
})
