import { z } from 'zod'
import { AcmeDirectory } from '../schema.ts'

const timestamp = z.iso.datetime()

/** Braces are placeholders in the configuration of Caddy. */
const hasNoBraces = (text: string): boolean => !/[{}]/.test(text)

const directory = AcmeDirectory.refine(hasNoBraces, 'must not contain braces')

const KeyId = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must not contain spaces')
  .refine(hasNoBraces, 'must not contain braces')
  .meta({ description: 'Key identifier (kid) as the authority gave it' })

/** Some authorities show the key with the padding that base64url (RFC 7515) leaves out. */
const HmacKey = z
  .string()
  .max(2048)
  .transform((text) => text.trim().replace(/=+$/, ''))
  .refine(
    (text) => /^[A-Za-z0-9_-]{2,}$/.test(text) && text.length % 4 !== 1,
    'must be base64url: letters, digits, - and _ alone, as the authority shows it',
  )
  .meta({ description: 'HMAC key in base64url; kept sealed and never shown again', writeOnly: true })

/** An external account as the API returns it. */
export const ExternalAccountView = z
  .object({
    id: z.string(),
    directory: z.string().meta({ description: 'ACME directory of the authority' }),
    key_id: z.string(),
    created_at: timestamp,
    changed_at: timestamp,
  })
  .meta({ id: 'ExternalAccount' })
export type ExternalAccountView = z.infer<typeof ExternalAccountView>

export const ExternalAccountList = z
  .object({ external_accounts: z.array(ExternalAccountView) })
  .meta({ id: 'ExternalAccountList' })

/** An external account to set up. */
export const ExternalAccountCreate = z
  .strictObject({ directory, key_id: KeyId, hmac_key: HmacKey })
  .meta({ id: 'ExternalAccountCreate' })
export type ExternalAccountCreate = z.infer<typeof ExternalAccountCreate>

/** Another key of an external account. */
export const ExternalAccountChange = z
  .strictObject({ key_id: KeyId, hmac_key: HmacKey })
  .meta({ id: 'ExternalAccountChange' })
export type ExternalAccountChange = z.infer<typeof ExternalAccountChange>
