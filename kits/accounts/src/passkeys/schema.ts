import { toIsoString } from '@hearth/runtime'
import { z } from 'zod'
import type { PasskeyRow } from './tables.ts'

/** Bytes as browsers write them in JSON. */
const base64url = (maxBytes: number) =>
  z
    .string()
    .max(Math.ceil((maxBytes * 4) / 3))
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')

/** Members of every credential of a browser; others are ignored. */
const credential = {
  id: base64url(1023).min(1),
  rawId: base64url(1023).min(1),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
}

const clientDataJSON = base64url(4096)

/** Largest body of a ceremony's end, bytes. */
export const maxCredential = 16_384

/** `PublicKeyCredential.toJSON()` of a new credential. */
export const NewCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON,
      attestationObject: base64url(12_000),
      transports: z.array(z.string().max(30)).max(8).optional(),
    }),
  })
  .meta({ id: 'NewCredential' })
export type NewCredential = z.infer<typeof NewCredential>

/** `PublicKeyCredential.toJSON()` of a sign-in. */
export const UsedCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(4096),
      signature: base64url(4096),
      userHandle: base64url(64).nullish(),
    }),
  })
  .meta({ id: 'UsedCredential' })
export type UsedCredential = z.infer<typeof UsedCredential>

const DeviceName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

/** Body that ends a registration. */
export const RegisterFinish = z
  .strictObject({ credential: NewCredential, device_name: DeviceName.optional() })
  .meta({ id: 'PasskeyRegisterFinish' })

/** Body that begins a sign-in: nothing. */
export const LoginStart = z.strictObject({}).meta({ id: 'PasskeyLoginStart' })

/** Body that ends a sign-in. */
export const LoginFinish = z.strictObject({ credential: UsedCredential }).meta({ id: 'PasskeyLoginFinish' })

/** Options for the browser; WebAuthn says what is in them. */
const options = (method: string) =>
  z.object({
    options: z.record(z.string(), z.unknown()).meta({ description: `For PublicKeyCredential.${method}` }),
  })
/** Answer to the beginning of a registration. */
export const RegisterOptions = options('parseCreationOptionsFromJSON').meta({ id: 'PasskeyRegisterOptions' })
/** Answer to the beginning of a sign-in. */
export const LoginOptions = options('parseRequestOptionsFromJSON').meta({ id: 'PasskeyLoginOptions' })

const Timestamp = z.iso.datetime()

/** A passkey as its user sees it. */
export const Passkey = z
  .object({
    id: z.uuid(),
    device_name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    backed_up: z.boolean().meta({ description: 'Kept by a provider, so that other devices have it too' }),
    rp_id: z.string().meta({ description: 'The host name it works for' }),
    aaguid: z.string().meta({ description: 'Kind of authenticator; zeros when it does not tell' }),
    transports: z.array(z.string()),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

/** Body that renames a passkey. */
export const PasskeyRename = z.strictObject({ device_name: DeviceName }).meta({ id: 'PasskeyRename' })
/** Path parameter of a passkey. */
export const PasskeyParams = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/)
    .toLowerCase(),
})

/** Returns the transports of the authenticator, as reported at its registration. */
export const transportsOf = ({ transports }: Pick<PasskeyRow, 'transports'>): string[] =>
  JSON.parse(transports) as string[]

/** Returns the wire form of a passkey, without its key and counter. */
export function passkeyOfRow(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    device_name: row.device_name,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: toIsoString(row.last_used_at),
    backed_up: row.backed_up === 1,
    rp_id: row.rp_id,
    aaguid: row.aaguid,
    transports: transportsOf(row),
  }
}
