import type { Sessions } from '../accounts/sessions.ts'
import type { MediaBus } from '../events/schema.ts'
import { invalid } from '../problems.ts'
import type { SettingsAnswer, SettingsChange } from './schema.ts'
import type { SettingsKeeper } from './settings.ts'

/** Writes a change of the settings, the account included. Throws a problem that names the key. */
export type ChangeSettings = (change: SettingsChange) => Promise<SettingsAnswer>

export function createChangeSettings(parts: {
  settings: SettingsKeeper
  sessions: Sessions
  bus: MediaBus
}): ChangeSettings {
  return async ({ admin_username, admin_password, ...changes }) => {
    const { settings, sessions, bus } = parts
    const wasOn = settings.current().enable_authentication
    const isSettingAccount = admin_username !== undefined && admin_password !== undefined
    if (changes.enable_authentication === true && !isSettingAccount && !sessions.hasCredentials())
      throw invalid('enable_authentication needs admin_username and admin_password, which are not set yet')
    const account = isSettingAccount ? await sessions.credentials(admin_username, admin_password) : {}
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    await settings.write(given, account)
    const isOn = settings.current().enable_authentication
    const mustSignIn = isOn && (!wasOn || isSettingAccount)
    if (mustSignIn || (wasOn && !isOn)) await sessions.endAll()
    bus.publish({ type: 'settings_changed', job_id: null })
    return { ok: true, message: 'Settings saved', ...(mustSignIn ? { redirect: '/login' } : {}) }
  }
}
