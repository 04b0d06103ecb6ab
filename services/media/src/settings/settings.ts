import type { AnyQuery } from '@hearth/accounts'
import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { defaultSettings, Settings, type SettingsAnswer, type SettingsChange } from './schema.ts'
import { deleteSettingRows, exchangeSettingRow } from './store.ts'
import type { MediaBus } from '../events.ts'
import { invalid } from '../problems.ts'

/**
 * Internal settings, which the API does not write: the account, the stem service's key, the start of the statistics.
 */
export type InternalName =
  | 'admin_username'
  | 'admin_password_hash'
  | 'statistics_reset_at'
  | 'stem_account'
  | 'pinned_tools'

/** The service's settings, cached in memory and read again when another process changed them. */
export type SettingsStore = Awaited<ReturnType<typeof openSettings>>

type Changes = { readonly [Name in keyof Settings]?: Settings[Name] | undefined }

/** Opens the settings and reads them. */
export async function openSettings(db: Kysely<Tables>) {
  let rows = await readSettingRows(db)
  let settings = parse(rows)

  async function refresh(): Promise<void> {
    rows = await readSettingRows(db)
    settings = parse(rows)
  }

  return {
    current: (): Settings => settings,
    internal: (name: InternalName): string | undefined => rows.get(name),
    /** Reads the stored settings again. */
    refresh,
    /** Writes all changes or none, with what `also` does. An internal value of null is deleted. */
    async write(
      changes: Changes,
      internal: Partial<Record<InternalName, string | null>> = {},
      also?: (trx: AnyQuery) => Promise<void>,
    ): Promise<void> {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      const kept = Object.entries(internal).filter((entry): entry is [InternalName, string] => entry[1] !== null)
      const gone = Object.entries(internal).flatMap(([name, value]) => (value === null ? [name] : []))
      const values = new Map([...given.map(([name, value]) => [name, JSON.stringify(value)] as const), ...kept])
      await db.transaction().execute(async (trx) => {
        await writeSettingRows(trx, values)
        if (gone.length > 0) await deleteSettingRows(trx, gone)
        await also?.(trx)
      })
      await refresh()
    },
    /** Replaces an internal value if it still is `from`, undefined for none; false if another process, or another request, wrote it. */
    async exchange(
      name: InternalName,
      value: { readonly from: string | undefined; readonly to: string },
    ): Promise<boolean> {
      const isExchanged = await exchangeSettingRow(db, name, value)
      await refresh()
      return isExchanged
    },
  }
}

const parse = (rows: ReadonlyMap<string, string>) => settingsOf(rows, Settings.shape, defaultSettings)

/** Writes a change of the settings, the account included. Throws a problem that names the key. */
export type ChangeSettings = (change: SettingsChange) => Promise<SettingsAnswer>

/** The account as far as the settings change it. */
interface SettingsAccount {
  hasCredentials(): boolean
  /** Internal settings that store the account. */
  credentials(username: string, password: string): Promise<Record<'admin_username' | 'admin_password_hash', string>>
  /** Ends every session. */
  endAll(): Promise<void>
}

/** Deletes passkeys, recovery codes and tokens, in the transaction that stores another account. */
type ForgetMethods = (trx: AnyQuery) => Promise<void>

/** Creates the write of the settings. */
export function createChangeSettings(dependencies: {
  settings: SettingsStore
  account: SettingsAccount
  forgetMethods: ForgetMethods
  bus: MediaBus
}): ChangeSettings {
  return async ({ admin_username, admin_password, ...changes }) => {
    const { settings, account, forgetMethods, bus } = dependencies
    const wasOn = settings.current().enable_authentication
    const isSettingAccount = admin_username !== undefined && admin_password !== undefined
    if (changes.enable_authentication === true && !isSettingAccount && !account.hasCredentials())
      throw invalid('enable_authentication needs admin_username and admin_password, which are not set yet')
    const credentials = isSettingAccount ? await account.credentials(admin_username, admin_password) : {}
    await settings.write(changes, credentials, isSettingAccount ? forgetMethods : undefined)
    const isOn = settings.current().enable_authentication
    const mustSignIn = isOn && (!wasOn || isSettingAccount)
    if (mustSignIn || (wasOn && !isOn)) await account.endAll()
    bus.publish({ type: 'settings_changed', job_id: null })
    return { ok: true, message: 'Settings saved', ...(mustSignIn ? { redirect: '/login' } : {}) }
  }
}
