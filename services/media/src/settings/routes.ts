import type { SecurityLog } from '@hearth/accounts/security-log'
import { FileForm, type Call, type Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { forbidden } from '../problems.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import type { ChangeSettings, SettingsStore } from './settings.ts'
import { Logo, LogoRemoved, Settings, SettingsAnswer, SettingsChange } from './schema.ts'
import { maxLogoBytes, type Logos } from './logo.ts'

const SettingsView = Settings.extend({
  has_credentials: z.boolean().meta({ description: 'Whether an account was set up' }),
}).meta({ id: 'SettingsView' })

type Answered = Pick<Call<unknown, undefined, undefined, undefined>, 'answer' | 'client'>

/** Routes that read and change the settings; no secret is ever read. A change after which sign-in is needed ends the session. */
export function settingsRoutes(
  dependencies: { settings: SettingsStore; changeSettings: ChangeSettings; securityLog: SecurityLog },
  endSession: (call: Answered) => void,
): Route[] {
  const { settings, changeSettings, securityLog } = dependencies
  const shared = { path: '/api/settings', tag: 'Settings', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the settings',
        limit: '60',
        success: { status: 200, body: SettingsView },
      },
      () => ({
        ...settings.current(),
        has_credentials: settings.internal('admin_password_hash') !== undefined,
      }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Change settings',
        description: 'Keys that are not known are ignored; all of the rest are written or none.',
        limit: '5',
        body: SettingsChange,
        success: { status: 200, body: SettingsAnswer },
      },
      async ({ caller, body, answer, client }) => {
        if (caller.tokenId !== undefined && isAboutSignIn(body))
          throw forbidden('Sign-in and its account are changed by a signed-in session, not by a token')
        const isOn = () => settings.current().enable_authentication
        const wasOn = isOn()
        const result = await changeSettings(body)
        const origin = eventOrigin(caller, client)
        if (body.admin_username !== undefined)
          await securityLog.record({ kind: 'password_changed', ...origin, target: body.admin_username })
        if (isOn() !== wasOn)
          await securityLog.record({
            kind: 'rights_changed',
            ...origin,
            target: 'sign-in',
            detail: isOn() ? 'required' : 'not required',
          })
        if (result.redirect !== undefined) endSession({ answer, client })
        return result
      },
    ),
  ]
}

const isAboutSignIn = ({ enable_authentication, admin_username, admin_password }: SettingsChange): boolean =>
  [enable_authentication, admin_username, admin_password].some((value) => value !== undefined)

/** The picture laid over videos. */
export function logoRoutes({ logos }: { logos: Logos }): Route[] {
  const shared = { tag: 'Settings', access: 'member', path: '/api/settings/watermark-logo' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Whether a logo is uploaded',
        limit: '60',
        success: { status: 200, body: Logo },
      },
      () => logos.describe(),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/settings/watermark-logo/image',
        summary: 'The logo',
        limit: '60',
        success: { status: 200, media: 'image/png', description: 'PNG' },
        errors: [404],
      },
      async ({ answer }) => {
        answer.header('cache-control', 'private, max-age=60')
        return { content: await logos.read() }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Store a logo',
        description: 'PNG with transparency, 32 to 4096 pixels on each side, at most 2 MB.',
        limit: '10',
        takes: { upload: { maxBytes: maxLogoBytes } },
        body: FileForm,
        success: { status: 200, body: Logo },
      },
      ({ body }) => logos.save(body.file.bytes),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Remove the logo; the one that comes with the service applies again',
        limit: '10',
        success: { status: 200, body: LogoRemoved },
      },
      () => logos.remove(),
    ),
  ]
}
