import { z } from 'zod'
import { idText, plainText, Timestamp } from '../envelope.ts'

/** A set-up link as administrators see it; its value is never shown again. */
export const SetupLink = z
  .object({
    id: z.uuid(),
    status: z
      .enum(['open', 'used', 'expired', 'revoked'])
      .meta({ description: 'Only an `open` link works, and only while its peer is enabled and has not expired' }),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: 'User name' }),
    expires_at: Timestamp,
    used_at: Timestamp.nullable(),
    used_from: z.string().nullable().meta({ description: 'Address of the device that used it' }),
  })
  .meta({ id: 'SetupLink' })
export type SetupLink = z.infer<typeof SetupLink>

/** Every set-up link of a peer. */
export const SetupLinks = z.array(SetupLink).meta({ id: 'SetupLinks' })

export const SetupLinkCreate = z
  .strictObject({
    expires_in_hours: z
      .int()
      .min(1)
      .max(720)
      .default(24)
      .meta({ description: 'Hours that the link works, at most 30 days' }),
  })
  .meta({ id: 'SetupLinkCreate' })
export type SetupLinkCreate = z.infer<typeof SetupLinkCreate>

/** A new set-up link with its URL, which is shown this once. */
export const SetupLinkCreated = SetupLink.extend({
  url: z.string().meta({ description: 'A secret: whoever opens it first gets the configuration' }),
}).meta({ id: 'SetupLinkCreated' })
export type SetupLinkCreated = z.infer<typeof SetupLinkCreated>

export const SetupLinkParams = z.object({ id: idText })

/** The value of a link, as a device sends it. */
export const DeviceSetupRequest = z
  .strictObject({ link: plainText(256).meta({ description: 'What stands behind `#` in the URL of the link' }) })
  .meta({ id: 'DeviceSetupRequest' })

/** What a device gets for a link, once. */
export const DeviceSetup = z
  .object({
    name: z.string().meta({ description: 'Name of the peer' }),
    file_name: z.string().meta({ description: 'Name under which to save the configuration' }),
    configuration: z
      .string()
      .meta({ description: 'Text for wg-quick and the WireGuard apps; it holds the private key' }),
    standby: z
      .object({ file_name: z.string(), configuration: z.string() })
      .nullable()
      .meta({ description: 'The same for the standby of the interface; null without one' }),
  })
  .meta({ id: 'DeviceSetup' })
export type DeviceSetup = z.infer<typeof DeviceSetup>
