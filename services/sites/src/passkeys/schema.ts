import { z } from 'zod'
import { GivenPassword } from '../accounts/schema.ts'

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

export const RegisterStart = z
  .strictObject({
    current_password: GivenPassword.optional().meta({ description: 'Not needed within five minutes of signing in' }),
  })
  .meta({ id: 'PasskeyRegisterStart' })

export const RegisterFinish = z
  .strictObject({ credential: NewCredential, device_name: DeviceName.optional() })
  .meta({ id: 'PasskeyRegisterFinish' })

export const LoginStart = z.strictObject({}).meta({ id: 'PasskeyLoginStart' })

export const LoginFinish = z
  .strictObject({
    credential: UsedCredential,
    next_url: z
      .string()
      .max(512)
      .optional()
      .meta({ description: 'Where the page wants to go: a path of this service' }),
  })
  .meta({ id: 'PasskeyLoginFinish' })

/** Options for the browser; WebAuthn says what is in them. */
const options = (method: string) =>
  z.object({
    options: z.record(z.string(), z.unknown()).meta({ description: `For PublicKeyCredential.${method}` }),
  })
export const RegisterOptions = options('parseCreationOptionsFromJSON').meta({ id: 'PasskeyRegisterOptions' })
export const LoginOptions = options('parseRequestOptionsFromJSON').meta({ id: 'PasskeyLoginOptions' })

const Timestamp = z.iso.datetime()

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

export const RegisterDone = z
  .object({ success: z.literal(true), message: z.string(), passkey: Passkey })
  .meta({ id: 'PasskeyRegisterDone' })

export const LoginDone = z
  .object({
    success: z.literal(true),
    message: z.string(),
    redirect_url: z.string().meta({ description: '`next_url` when that is a path of this service, else `/`' }),
    csrf_token: z.string().meta({ description: 'Of the new session' }),
  })
  .meta({ id: 'PasskeyLoginDone' })

export const PasskeyRename = z.strictObject({ device_name: DeviceName }).meta({ id: 'PasskeyRename' })
export const PasskeyParams = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/)
    .toLowerCase(),
})
